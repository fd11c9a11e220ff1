// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/streaming/streaming.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/config/window_settings.h"
#include "engine/policies/registry.h"
#include "engine/policies/streaming/streaming_settings.h"

namespace carryover {

std::int64_t WindowState::pool_entries() const {
  return most_entries(layers, [](const EndsCache& layer) { return layer.entries(); });
}

std::vector<at::Tensor> WindowState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const EndsCache& layer : layers)
    if (layer.keys.defined()) all.insert(all.end(), {layer.keys, layer.values});
  return all;
}

std::vector<at::Tensor*> WindowState::held_tensors() {
  std::vector<at::Tensor*> all;
  for (EndsCache& layer : layers) add_defined(all, layer.keys, layer.values);
  return all;
}

std::unique_ptr<PolicyState> StreamingPolicy::init_state() const {
  auto state = std::make_unique<WindowState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  return state;
}

std::vector<HeadGroup> StreamingPolicy::read(const WindowState& state, int layer, Rope&) const {
  HeadGroup all = group_of_all(model_);
  all.window = {cache_.window, cache_.sinks, -1};
  if (cache_.positions_in_cache && cache_.sinks > 0) all.window.furthest = cache_.sinks + cache_.window - 1;
  state.layers[static_cast<std::size_t>(layer)].stand_before(all, std::min(cache_.sinks, state.next.first_token));
  return {all};
}

LayerTrace StreamingPolicy::trace(int, const LayerKv& kv) const {
  LayerTrace trace;
  trace.past_keys = ends_of(kv.rotated_keys.detach(), cache_.sinks, cache_.window - 1);
  trace.past_values = ends_of(kv.values.detach(), cache_.sinks, cache_.window - 1);
  return trace;
}

/// Joins what is held and the segment's ends. The result begins with the text's first tokens and ends with its last
/// ones: if the middle of a segment is missing, the segment is longer than the window, which then lies in that segment
/// alone.
void StreamingPolicy::take(WindowState& state, std::size_t layer, const LayerTrace& trace, std::int64_t) const {
  state.layers[layer].append(trace.past_keys, trace.past_values, cache_.sinks, cache_.window - 1);
}

void StreamingPolicy::name_fields(WindowState& state, StateFields& fields) const {
  for (const int layer : model_.global_layers())
    state.layers[static_cast<std::size_t>(layer)].visit(fields, field_prefix(layer), state.next.first_token,
                                                        cache_.sinks, cache_.window - 1, model_.kv_heads,
                                                        model_.head_dim, options_);
}

std::unique_ptr<AttentionPolicy> make_streaming(const PolicyRequest& r) {
  return std::make_unique<StreamingPolicy>(
      "streaming",
      StreamingPolicy::Cache{r.config.sink_length, r.config.of<WindowSettings>().attention_window,
                             r.config.of<StreamingSettings>().cache_positions},
      r.model, r.options);
}

std::unique_ptr<AttentionPolicy> make_sliding(const PolicyRequest& r) {
  return std::make_unique<StreamingPolicy>(
      "sliding", StreamingPolicy::Cache{0, r.config.of<WindowSettings>().attention_window, false}, r.model, r.options);
}

}  // namespace carryover
