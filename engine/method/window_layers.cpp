// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/window_layers.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace carryover {

namespace {

at::Tensor last_rows(const at::Tensor& rows, std::int64_t count) {
  return rows.narrow(1, rows.size(1) - count, count);
}

/// Returns the last `most` rows of [held; fresh], [H_kv, *, d] each; `held` may be undefined.
at::Tensor appended(const at::Tensor& held, const at::Tensor& fresh, std::int64_t most) {
  const std::int64_t kept = held.defined() ? std::min(held.size(1), most - fresh.size(1)) : 0;
  return kept == 0 ? fresh : at::cat({last_rows(held, kept), fresh}, 1);
}

}  // namespace

std::vector<HeadGroup> WindowLayers::context(const PolicyState& state, int layer, Rope& rope) const {
  HeadGroup all = group_of_all(model_);
  all.window.length = model_.window;
  if (state.carry.windows.empty()) return {all};
  const LayerCarry& held = state.carry.windows[static_cast<std::size_t>(layer)];
  if (!held.keys.defined()) return {all};
  const std::int64_t count = held.keys.size(1);
  all.prefix_keys = rope.rotate(held.keys, policy_.first_position(state.next) - count);
  all.prefix_values = held.values;
  all.spans = {{PrefixPart::Carry, 0, count}};
  return {all};
}

LayerTrace WindowLayers::trace(int, const LayerKv& kv) const {
  const std::int64_t count = std::min(model_.window - 1, kv.keys.size(1));
  LayerTrace trace;
  if (count > 0) trace.carry = {last_rows(kv.keys, count).clone(), last_rows(kv.values, count).clone()};
  return trace;
}

void close_windows(CarriedState& carry, std::vector<LayerTrace>& traces, const ModelConfig& model) {
  if (model.window_layers.empty()) return;
  carry.windows.resize(traces.size());
  for (const int layer : model.window_layers) {
    const auto l = static_cast<std::size_t>(layer);
    const LayerCarry fresh = std::exchange(traces[l].carry, {});
    if (!fresh.keys.defined()) continue;  // W is 1
    LayerCarry& held = carry.windows[l];
    held = {appended(held.keys, fresh.keys, model.window - 1), appended(held.values, fresh.values, model.window - 1)};
  }
}

void name_windows(PolicyState& state, StateFields& fields, const ModelConfig& model, at::TensorOptions options) {
  const std::int64_t count = std::min(model.window - 1, state.next.first_token);
  if (count <= 0) return;
  state.carry.windows.resize(static_cast<std::size_t>(model.layers));
  for (const int layer : model.window_layers) {
    const auto l = static_cast<std::size_t>(layer);
    const at::DimVector shape{model.kv_heads, count, model.head_dim};
    fields.tensor(field_prefix(layer) + "window_keys", state.carry.windows[l].keys, shape, options);
    fields.tensor(field_prefix(layer) + "window_values", state.carry.windows[l].values, shape, options);
  }
}

}  // namespace carryover
