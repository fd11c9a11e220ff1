// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/full.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace carryover {

namespace {

struct FullState final : PolicyState {
  struct Layer {
    at::Tensor keys, values;  ///< [H_kv, capacity, d], keys rotated
  };
  std::vector<Layer> layers;
  std::int64_t entries = 0, capacity = 0, bytes_per_entry = 0;

  std::int64_t pool_entries() const override { return entries; }
  std::int64_t pool_bytes() const override { return entries * bytes_per_entry; }
  std::vector<at::Tensor> pool_contents() const override {
    std::vector<at::Tensor> all;
    for (const Layer& layer : layers)
      for (const at::Tensor& tensor : {layer.keys, layer.values}) all.push_back(tensor.narrow(1, 0, entries));
    return all;
  }
  std::unique_ptr<PolicyState> clone() const override {
    auto copy = std::make_unique<FullState>(*this);
    copy->capacity = copy->entries;  // its next segment moves to memory of its own
    return copy;
  }

  void reserve(std::int64_t tokens, const ModelConfig& model, at::TensorOptions options) {
    for (Layer& layer : layers)
      for (at::Tensor* tensor : {&layer.keys, &layer.values}) {
        at::Tensor larger = at::empty({model.kv_heads, tokens, model.head_dim}, options);
        if (entries > 0) larger.narrow(1, 0, entries).copy_(tensor->narrow(1, 0, entries));
        *tensor = larger;
      }
    capacity = tokens;
  }
};

}  // namespace

std::unique_ptr<PolicyState> FullPolicy::init_state() const {
  auto state = std::make_unique<FullState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  state->bytes_per_entry =
      2 * model_.layers * model_.kv_heads * model_.head_dim * static_cast<std::int64_t>(options_.dtype().itemsize());
  state->reserve(std::max<std::int64_t>(expected_tokens_, 1), model_, options_);
  return state;
}

std::vector<HeadGroup> FullPolicy::context(const PolicyState& base, int layer, Rope&) const {
  const auto& state = static_cast<const FullState&>(base);
  HeadGroup all;
  all.heads.resize(static_cast<std::size_t>(model_.heads));
  std::iota(all.heads.begin(), all.heads.end(), 0);
  if (state.entries > 0) {
    const FullState::Layer& past = state.layers[static_cast<std::size_t>(layer)];
    all.prefix_keys = past.keys.narrow(1, 0, state.entries);
    all.prefix_values = past.values.narrow(1, 0, state.entries);
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

void FullPolicy::commit(PolicyState& base, std::vector<LayerTrace> traces, std::int64_t m) const {
  auto& state = static_cast<FullState&>(base);
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

}  // namespace carryover
