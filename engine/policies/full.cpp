// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/full.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "engine/policies/registry.h"

namespace carryover {

void FullState::reserve(std::int64_t tokens, const ModelConfig& model, at::TensorOptions options) {
  for (Layer& layer : layers)
    for (at::Tensor* tensor : {&layer.keys, &layer.values}) {
      at::Tensor larger = at::empty({model.kv_heads, tokens, model.head_dim}, options);
      if (entries > 0) larger.narrow(1, 0, entries).copy_(tensor->narrow(1, 0, entries));
      *tensor = larger;
    }
  capacity = tokens;
}

std::vector<at::Tensor> FullState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const Layer& layer : layers)
    for (const at::Tensor& tensor : {layer.keys, layer.values}) all.push_back(tensor.narrow(1, 0, entries));
  return all;
}

std::unique_ptr<PolicyState> FullState::clone() const {
  auto copy = std::make_unique<FullState>(*this);
  copy->capacity = copy->entries;  // its next segment moves to memory of its own
  return copy;
}

std::unique_ptr<PolicyState> FullPolicy::init_state() const {
  auto state = std::make_unique<FullState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  state->bytes_per_entry =
      2 * model_.layers * model_.kv_heads * model_.head_dim * static_cast<std::int64_t>(options_.dtype().itemsize());
  state->reserve(std::max<std::int64_t>(expected_tokens_, 1), model_, options_);
  return state;
}

std::vector<HeadGroup> FullPolicy::read(const FullState& state, int layer, Rope&) const {
  HeadGroup all;
  all.heads.resize(static_cast<std::size_t>(model_.heads));
  std::iota(all.heads.begin(), all.heads.end(), 0);
  if (state.entries > 0) {
    const FullState::Layer& past = state.layers[static_cast<std::size_t>(layer)];
    all.prefix_keys = past.keys.narrow(1, 0, state.entries);
    all.prefix_values = past.values.narrow(1, 0, state.entries);
    all.spans = {{PrefixPart::Carry, 0, state.entries}};
  }
  return {all};
}

LayerTrace FullPolicy::trace(int, const LayerKv& kv) const {
  LayerTrace trace;
  // In a block of their own: those that they were made in lie between a layer's larger ones, and would leave gaps.
  const at::Tensor kept = at::stack({kv.rotated_keys.detach(), kv.values.detach()});
  trace.past_keys = kept[0];
  trace.past_values = kept[1];
  return trace;
}

void FullPolicy::close(FullState& state, std::vector<LayerTrace> traces, std::int64_t m) const {
  if (state.entries + m > state.capacity)
    state.reserve(std::max(state.entries + m, state.capacity + state.capacity / 2), model_, options_);
  for (std::size_t l = 0; l < traces.size(); ++l) {
    state.layers[l].keys.narrow(1, state.entries, m).copy_(traces[l].past_keys);
    state.layers[l].values.narrow(1, state.entries, m).copy_(traces[l].past_values);
    traces[l] = {};
  }
  state.entries += m;
  state.next = {state.next.index + 1, state.next.first_token + m};
}

namespace {

const PolicyFactory full_factory("full", [](const PolicyRequest& r) -> std::unique_ptr<AttentionPolicy> {
  return std::make_unique<FullPolicy>(r.model, r.options, r.expected_tokens);
});

}  // namespace

}  // namespace carryover
