// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/carried_state.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "engine/config/head_reads.h"
#include "engine/method/head_select.h"

namespace carryover {

namespace {

/// Returns what a layer carries: its window, or the tail that the policy carries; undefined tensors for nothing.
LayerCarry carry_of(const CarriedState& state, std::size_t layer) {
  if (layer < state.windows.size() && state.windows[layer].keys.defined()) return state.windows[layer];
  return layer < state.layers.size() ? state.layers[layer] : LayerCarry{};
}

/// Builds a map from row(l), the values of the slots of layer l; an undefined row has none. Rows end with the same
/// token, so a row that is shorter than the longest one begins with NaN.
template <typename Row>
Map map_of_layers(const CarriedState& state, const Row& row) {
  std::vector<at::Tensor> rows;
  Map map{static_cast<std::int64_t>(std::max(state.layers.size(), state.windows.size())), 0, {}};
  for (std::int64_t l = 0; l < map.rows; ++l) {
    rows.push_back(row(static_cast<std::size_t>(l)));
    if (rows.back().defined()) map.columns = std::max(map.columns, rows.back().size(0));
  }
  map.values.assign(static_cast<std::size_t>(map.rows * map.columns), std::nanf(""));
  auto end = map.values.begin();
  for (const at::Tensor& each : rows) {
    end += map.columns;
    if (!each.defined()) continue;
    const at::Tensor values = each.to(at::kFloat).cpu().contiguous();
    std::copy_n(values.template const_data_ptr<float>(), values.size(0), end - values.size(0));
  }
  return map;
}

at::Tensor mean_norm(const at::Tensor& kv) {
  return kv.to(at::kFloat).norm(2, -1).mean(0);
}

}  // namespace

std::int64_t CarriedState::length() const {
  for (const LayerCarry& layer : layers)
    if (layer.keys.defined()) return layer.keys.size(1);
  return 0;
}

std::int64_t CarriedState::bytes() const {
  std::int64_t total = 0;
  for (const at::Tensor* tensor : const_cast<CarriedState*>(this)->tensors())
    total += static_cast<std::int64_t>(tensor->nbytes());
  return total;
}

std::vector<at::Tensor*> CarriedState::tensors() {
  std::vector<at::Tensor*> all;
  for (std::vector<LayerCarry>* part : {&layers, &windows})
    for (LayerCarry& layer : *part) add_defined(all, layer.keys, layer.values);
  return all;
}

CarriedState CarriedState::detached() const {
  CarriedState copy = *this;
  for (at::Tensor* tensor : copy.tensors()) *tensor = tensor->detach();
  return copy;
}

LayerCarry carry_tail(const SegmentConfig& config, const ModelConfig& model, int layer, const at::Tensor& keys,
                      const at::Tensor& values) {
  const std::vector<int> kv_heads = carry_kv_heads(config, model, layer);
  const std::int64_t length = std::min(config.carry_length, keys.size(1));
  if (kv_heads.empty() || length == 0) return {};
  const auto tail = [&](const at::Tensor& kv) { return kv.narrow(1, kv.size(1) - length, length); };
  auto [carried_keys, carried_values] = copy_heads(tail(keys), tail(values), kv_heads);
  return {std::move(carried_keys), std::move(carried_values)};
}

void add_defined(std::vector<at::Tensor*>& to, at::Tensor& keys, at::Tensor& values) {
  for (at::Tensor* tensor : {&keys, &values})
    if (tensor->defined()) to.push_back(tensor);
}

CarriedState CarriedState::without_tokens_before(std::int64_t first, std::int64_t m) const {
  const std::int64_t keep = std::min(length(), m - std::min(first, m));
  if (keep == length()) return *this;
  CarriedState shorter{{}, windows};
  for (const LayerCarry& layer : layers) {
    if (!layer.keys.defined() || keep == 0) {
      shorter.layers.emplace_back();
      continue;
    }
    const auto tail = [&](const at::Tensor& kv) { return kv.narrow(1, kv.size(1) - keep, keep); };
    shorter.layers.push_back({tail(layer.keys), tail(layer.values)});
  }
  return shorter;
}

LayerSinks first_tokens(const SegmentConfig& config, const at::Tensor& keys, const at::Tensor& values) {
  const std::int64_t length = std::min(config.sink_length, keys.size(1));
  if (length == 0) return {};
  const auto first = [&](const at::Tensor& kv) {
    return kv.detach().narrow(1, 0, length).clone(at::MemoryFormat::Contiguous);
  };
  return {first(keys), first(values)};
}

CarryMaps carry_maps(const CarriedState& state, const CarriedState& previous) {
  const at::NoGradGuard no_gradients;
  const auto norms = [&](at::Tensor LayerCarry::*part) {
    return map_of_layers(state, [&](std::size_t l) {
      const at::Tensor kv = carry_of(state, l).*part;
      return kv.defined() ? mean_norm(kv) : kv;
    });
  };
  CarryMaps maps{norms(&LayerCarry::keys), norms(&LayerCarry::values), {}};
  maps.drift = map_of_layers(state, [&](std::size_t l) -> at::Tensor {
    const at::Tensor now = carry_of(state, l).keys, before = carry_of(previous, l).keys;
    if (!now.defined() || !before.defined() || now.size(1) != before.size(1)) return {};
    const at::Tensor from = before.to(at::kFloat);
    return ((now.to(at::kFloat) - from).norm(2, -1) / from.norm(2, -1).clamp_min(1e-20)).mean(0);
  });
  return maps;
}

}  // namespace carryover
