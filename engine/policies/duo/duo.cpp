// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/duo/duo.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/config/head_reads.h"
#include "engine/config/window_settings.h"
#include "engine/method/head_select.h"
#include "engine/policies/registry.h"

namespace carryover {

std::vector<at::Tensor> DuoState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const Layer& layer : layers) {
    if (layer.whole.entries() > 0) all.insert(all.end(), {layer.whole.keys.held(), layer.whole.values.held()});
    if (layer.ends.entries() > 0) all.insert(all.end(), {layer.ends.keys, layer.ends.values});
  }
  return all;
}

std::unique_ptr<PolicyState> DuoState::clone() const {
  auto copy = std::make_unique<DuoState>(*this);
  for (Layer& layer : copy->layers)
    if (layer.whole.keys.rows.defined()) layer.whole.share();
  return copy;
}

DuoPolicy::DuoPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                     std::int64_t expected_tokens)
    : sinks_(config.sink_length),
      window_(config.of<WindowSettings>().attention_window),
      head_dim_(model.head_dim),
      expected_tokens_(expected_tokens),
      options_(options) {
  for (int layer = 0; layer < model.layers; ++layer) {
    const DuoHeads heads = duo_heads(config, model, layer);
    layers_.push_back({heads, distinct_kv_heads(heads.retrieval, model), distinct_kv_heads(heads.streaming, model)});
  }
}

std::unique_ptr<PolicyState> DuoPolicy::init_state() const {
  auto state = std::make_unique<DuoState>();
  state->carry.layers.resize(layers_.size());
  state->layers.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l)
    if (!layers_[l].retrieval_kv.empty())
      state->layers[l].whole.reserve(std::ssize(layers_[l].retrieval_kv), std::max<std::int64_t>(expected_tokens_, 1),
                                     head_dim_, options_);
  return state;
}

HeadGroup DuoPolicy::retrieval_group(const DuoState& state, int layer) const {
  const auto l = static_cast<std::size_t>(layer);
  HeadGroup group;
  group.heads = layers_[l].heads.retrieval;
  group.long_range = true;
  state.layers[l].whole.stand_before(group);
  return group;
}

HeadGroup DuoPolicy::streaming_group(const DuoState& state, int layer) const {
  const auto l = static_cast<std::size_t>(layer);
  HeadGroup group;
  group.heads = layers_[l].heads.streaming;
  group.window = {window_, sinks_, -1};
  state.layers[l].ends.stand_before(group, std::min(sinks_, state.next.first_token));
  return group;
}

std::vector<HeadGroup> DuoPolicy::read(const DuoState& state, int layer, Rope&) const {
  std::vector<HeadGroup> groups;
  for (HeadGroup& group : std::vector{streaming_group(state, layer), retrieval_group(state, layer)})
    if (!group.heads.empty()) groups.push_back(std::move(group));
  // Groups are sorted by their first head: if their heads do not interleave, outputs then need no reordering.
  if (groups.size() == 2 && groups[1].heads < groups[0].heads) std::swap(groups[0], groups[1]);
  return groups;
}

/// Returns keys and values of the retrieval heads, and those of the streaming heads in LayerTrace::second.
LayerTrace DuoPolicy::trace(int layer, const LayerKv& kv) const {
  const Layer& own = layers_[static_cast<std::size_t>(layer)];
  const at::Tensor keys = kv.rotated_keys.detach(), values = kv.values.detach();
  LayerTrace trace;
  if (!own.retrieval_kv.empty()) {
    const at::Tensor kept = at::stack({select_heads(keys, own.retrieval_kv), select_heads(values, own.retrieval_kv)});
    trace.past_keys = kept[0];
    trace.past_values = kept[1];
  }
  if (!own.streaming_kv.empty()) {
    trace.second = std::make_shared<LayerTrace>();
    trace.second->past_keys = ends_of(select_heads(keys, own.streaming_kv), sinks_, window_ - 1);
    trace.second->past_values = ends_of(select_heads(values, own.streaming_kv), sinks_, window_ - 1);
  }
  return trace;
}

void DuoPolicy::take(DuoState& state, std::size_t layer, const LayerTrace& trace, std::int64_t) const {
  DuoState::Layer& own = state.layers[layer];
  if (trace.past_keys.defined()) own.whole.append(trace.past_keys, trace.past_values);
  if (const auto& streaming = trace.second)
    own.ends.append(streaming->past_keys, streaming->past_values, sinks_, window_ - 1);
}

void DuoPolicy::name_fields(DuoState& state, StateFields& fields) const {
  const std::int64_t tokens = state.next.first_token;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::string prefix = field_prefix(static_cast<int>(l));
    if (!layers_[l].retrieval_kv.empty()) state.layers[l].whole.visit(fields, prefix + "whole.", tokens);
    if (!layers_[l].streaming_kv.empty())
      state.layers[l].ends.visit(fields, prefix + "ends.", tokens, sinks_, window_ - 1,
                                 std::ssize(layers_[l].streaming_kv), head_dim_, options_);
  }
}

std::unique_ptr<AttentionPolicy> make_duo(const PolicyRequest& r) {
  return std::make_unique<DuoPolicy>(r.config, r.model, r.options, r.expected_tokens);
}

}  // namespace carryover
