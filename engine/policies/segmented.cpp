// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/segmented.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/method/head_select.h"
#include "engine/policies/registry.h"

namespace carryover {

namespace {

/// [rows, n + P, d]: sinks before the rest of a prefix, each of which may be undefined.
at::Tensor behind_sinks(const at::Tensor& sinks, const at::Tensor& rest) {
  if (!sinks.defined()) return rest;
  return rest.defined() ? at::cat({sinks, rest}, 1) : sinks;
}

}  // namespace

std::int64_t SegmentedState::own_bytes() const {
  std::int64_t total = carry.bytes() + retrieved.bytes();
  for (const LayerSinks& layer : sinks) total += layer.bytes();
  return total;
}

std::unique_ptr<PolicyState> SegmentedState::clone() const {
  auto copy = std::make_unique<SegmentedState>(*this);
  copy->pool.share();
  return copy;
}

SegmentedPolicy::SegmentedPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                                 std::int64_t expected_tokens, const std::vector<HeadHits>& forced_hits,
                                 std::vector<TokenRange> banned)
    : config_(config),
      model_(model),
      options_(options),
      expected_tokens_(expected_tokens),
      retriever_(config, model, forced_hits, std::move(banned)) {}

std::unique_ptr<PolicyState> SegmentedPolicy::init_state() const {
  auto state = std::make_unique<SegmentedState>(RetrievalPool(config_, model_, options_, expected_tokens_));
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->retrieved.layers.resize(static_cast<std::size_t>(model_.layers));
  return state;
}

std::vector<HeadGroup> SegmentedPolicy::read(const SegmentedState& state, int layer, Rope& rope) const {
  std::vector<HeadGroup> groups;
  HeadGroup local{config_.grouping.local_heads(layer, static_cast<int>(model_.heads)), {}, {}, false};
  const LayerSinks sinks = state.sinks.empty() ? LayerSinks() : state.sinks[static_cast<std::size_t>(layer)];
  const auto add = [&](HeadGroup& group, const at::Tensor& keys, const at::Tensor& values) {
    if (keys.defined()) {
      group.prefix_keys = rope.rotate_prefix(keys);
      group.prefix_values = values;
    }
    groups.push_back(std::move(group));
  };
  if (!local.heads.empty()) {
    const LayerCarry& carry = state.carry.layers[static_cast<std::size_t>(layer)];
    if (sinks.local_keys.defined()) local.sinks = sinks.local_keys.size(1);
    add(local, behind_sinks(sinks.local_keys, carry.keys), behind_sinks(sinks.local_values, carry.values));
  }
  HeadGroup far{config_.grouping.long_heads(layer), {}, {}, true};
  if (!far.heads.empty()) {
    const LayerPrefix& prefix = state.retrieved.layers[static_cast<std::size_t>(layer)];
    if (sinks.long_keys.defined()) far.sinks = sinks.long_keys.size(1);
    add(far, behind_sinks(sinks.long_keys, prefix.keys), behind_sinks(sinks.long_values, prefix.values));
  }
  // By their first head: where heads don't interleave, outputs need no reordering.
  if (groups.size() == 2 && groups[1].heads < groups[0].heads) std::swap(groups[0], groups[1]);
  return groups;
}

LayerTrace SegmentedPolicy::trace(int layer, const LayerKv& kv) const {
  LayerTrace trace;
  trace.carry = carry_tail(config_, model_, layer, kv.keys, kv.values);
  trace.sinks = first_tokens(config_, model_, layer, kv.keys, kv.values);
  if (config_.retrieval_length == 0 || !config_.grouping.retrieves(layer)) return trace;
  const std::vector<int> kv_heads = config_.grouping.long_kv_heads(layer, model_);
  trace.past_keys = select_heads(kv.keys.detach(), kv_heads).contiguous();
  trace.past_values = select_heads(kv.values.detach(), kv_heads).contiguous();
  const std::int64_t held = kv.queries.size(1), tail = std::min(config_.query_length, held);
  trace.queries = select_heads(kv.queries.detach(), config_.grouping.long_heads(layer))
                      .narrow(1, held - tail, tail)
                      .clone(at::MemoryFormat::Contiguous);
  return trace;
}

void SegmentedPolicy::close(SegmentedState& state, std::vector<LayerTrace> traces, std::int64_t m) const {
  const bool first_segment = state.next.index == 0;
  std::vector<at::Tensor> keys, values, queries;
  for (std::size_t l = 0; l < traces.size(); ++l) {
    state.carry.layers[l] = std::move(traces[l].carry);
    if (first_segment) state.sinks.push_back(std::move(traces[l].sinks));
    keys.push_back(std::move(traces[l].past_keys));
    values.push_back(std::move(traces[l].past_values));
    queries.push_back(std::move(traces[l].queries));
  }
  if (first_segment) state.carry = state.carry.without_tokens_before(config_.sink_length, m);
  state.next = {state.next.index + 1, state.next.first_token + m};
  if (config_.retrieval_length == 0) return;
  state.pool.append(keys, values, m);
  state.retrieved = retriever_.retrieve(queries, state.pool, state.next.index, options_.device());
  state.hits = state.retrieved.hits;
  state.near_ties = state.retrieved.near_ties;
}

std::unique_ptr<PolicyState> SegmentedPolicy::with_hits(const PolicyState& state, std::vector<HeadHits> hits) const {
  auto other = std::make_unique<SegmentedState>(own(state));
  other->pool.share();
  other->retrieved = retriever_.gather(std::move(hits), other->pool, options_.device());
  other->hits = other->retrieved.hits;
  other->near_ties = 0;
  return other;
}

namespace {

const PolicyFactory segmented_factory("segmented", [](const PolicyRequest& r) -> std::unique_ptr<AttentionPolicy> {
  return std::make_unique<SegmentedPolicy>(r.config, r.model, r.options, r.expected_tokens, r.forced_hits, r.banned);
});

}  // namespace

}  // namespace carryover
