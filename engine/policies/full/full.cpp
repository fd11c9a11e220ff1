// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/full/full.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/policies/registry.h"

namespace carryover {

std::vector<at::Tensor> FullState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const GrowingCache& layer : layers) layer.add_to(all);
  return all;
}

std::unique_ptr<PolicyState> FullState::clone() const {
  auto copy = std::make_unique<FullState>(*this);
  for (GrowingCache& layer : copy->layers) layer.share();
  return copy;
}

std::unique_ptr<PolicyState> FullPolicy::init_state() const {
  auto state = std::make_unique<FullState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  for (const int layer : model_.global_layers())
    state->layers[static_cast<std::size_t>(layer)].reserve(model_.kv_heads, std::max<std::int64_t>(expected_tokens_, 1),
                                                           model_.head_dim, options_);
  return state;
}

std::vector<HeadGroup> FullPolicy::read(const FullState& state, int layer, Rope&) const {
  HeadGroup all = group_of_all(model_);
  state.layers[static_cast<std::size_t>(layer)].stand_before(all);
  return {all};
}

LayerTrace FullPolicy::trace(int, const LayerKv& kv) const {
  LayerTrace trace;
  keep_segment(trace, kv);
  return trace;
}

void FullPolicy::take(FullState& state, std::size_t layer, const LayerTrace& trace, std::int64_t) const {
  state.layers[layer].append(trace.past_keys, trace.past_values);
}

void FullPolicy::name_fields(FullState& state, StateFields& fields) const {
  for (const int layer : model_.global_layers())
    state.layers[static_cast<std::size_t>(layer)].visit(fields, field_prefix(layer), state.next.first_token);
}

std::unique_ptr<AttentionPolicy> make_full(const PolicyRequest& r) {
  return std::make_unique<FullPolicy>(r.model, r.options, r.expected_tokens);
}

}  // namespace carryover
