// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/sliding.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/policies/registry.h"

namespace carryover {

SlidingPolicy::SlidingPolicy(const SegmentConfig& config, const ModelConfig& model) : config_(config), model_(model) {
  config_.grouping = Grouping();
}

std::unique_ptr<PolicyState> SlidingPolicy::init_state() const {
  auto state = std::make_unique<SlidingState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  return state;
}

std::vector<HeadGroup> SlidingPolicy::read(const SlidingState& state, int layer, Rope& rope) const {
  HeadGroup all{config_.grouping.local_heads(layer, static_cast<int>(model_.heads)), {}, {}, false};
  const LayerCarry& window = state.carry.layers[static_cast<std::size_t>(layer)];
  if (window.keys.defined()) {
    all.prefix_keys = rope.rotate_prefix(window.keys);
    all.prefix_values = window.values;
  }
  return {all};
}

LayerTrace SlidingPolicy::trace(int layer, const LayerKv& kv) const {
  LayerTrace trace;
  trace.carry = carry_tail(config_, model_, layer, kv.keys, kv.values);
  return trace;
}

void SlidingPolicy::close(SlidingState& state, std::vector<LayerTrace> traces, std::int64_t m) const {
  const auto last = [&](const at::Tensor& before, const at::Tensor& now) {
    if (!now.defined() || !before.defined()) return now;
    const at::Tensor both = at::cat({before, now}, 1);
    const std::int64_t length = std::min(config_.carry_length, both.size(1));
    return both.narrow(1, both.size(1) - length, length);
  };
  for (std::size_t l = 0; l < traces.size(); ++l) {
    LayerCarry& window = state.carry.layers[l];
    window = {last(window.keys, traces[l].carry.keys), last(window.values, traces[l].carry.values)};
  }
  state.next = {state.next.index + 1, state.next.first_token + m};
}

namespace {

const PolicyFactory factory("sliding", [](const PolicyRequest& r) -> std::unique_ptr<AttentionPolicy> {
  return std::make_unique<SlidingPolicy>(r.config, r.model);
});

}  // namespace

}  // namespace carryover
