// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/segmented/segmented.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <tuple>

#include "engine/base/error.h"
#include "engine/method/head_select.h"
#include "engine/method/token_search.h"
#include "engine/policies/registry.h"

namespace carryover {

namespace {

std::vector<at::Tensor> queries_of(const std::vector<LayerTrace>& traces) {
  std::vector<at::Tensor> queries;
  for (const LayerTrace& trace : traces) queries.push_back(trace.queries);
  return queries;
}

}  // namespace

std::vector<at::Tensor*> SegmentedState::held_tensors() {
  std::vector<at::Tensor*> all;
  for (LayerPrefix& layer : retrieved.layers)
    for (const bool far : {false, true}) add_defined(all, layer.of(far).keys, layer.of(far).values);
  for (LayerSinks& layer : sinks) add_defined(all, layer.keys, layer.values);
  return all;
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
      per_token_(searches_per_token(config, model)),
      retriever_(config, model, forced_hits, std::move(banned)) {}

std::unique_ptr<PolicyState> SegmentedPolicy::init_state() const {
  auto state = std::make_unique<SegmentedState>(RetrievalPool(config_, model_, options_, expected_tokens_));
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->retrieved.layers.resize(static_cast<std::size_t>(model_.layers));
  return state;
}

PrefixRows SegmentedPolicy::part_of(const SegmentedState& state, int layer, const HeadReads& kind,
                                    PrefixPart part) const {
  const auto l = static_cast<std::size_t>(layer);
  const std::vector<int> wanted = kind.prefix_kv_heads(model_);
  const auto rows = [](const auto& held, const std::vector<int>& places) -> PrefixRows {
    if (!held.keys.defined()) return {};
    return {select_heads(held.keys, places), select_heads(held.values, places)};
  };
  switch (part) {
    case PrefixPart::Sinks:  // a row for every KV head
      return state.sinks.empty() ? PrefixRows() : rows(state.sinks[l], wanted);
    case PrefixPart::Carry:
      return rows(state.carry.layers[l], places_of(wanted, carry_kv_heads(config_, model_, layer)));
    case PrefixPart::Retrieved:
      return per_token_ ? choice_of(state, layer, kind) : state.retrieved.layers[l].of(kind.long_range);
    case PrefixPart::Core:
      break;
  }
  CARRYOVER_CHECK(false);
}

PrefixRows SegmentedPolicy::choice_of(const SegmentedState& state, int layer, const HeadReads& kind) const {
  const LayerPool& pool = state.pool.layer(layer);
  const std::int64_t first = state.pool.first_searched(),
                     carried = kind.read(PrefixPart::Carry) ? state.carry.length() : 0,
                     count = state.pool.entries() - carried - first;
  if (count <= 0 || state.without_pool) return {};
  const std::vector<int> slots = places_of(kind.prefix_kv_heads(model_), pool.kv_heads);
  const auto held = [&](const at::Tensor& rows) {
    const at::Tensor part = select_heads(rows.narrow(1, first, count), slots).to(options_);
    return at::GradMode::is_enabled() ? part.clone() : part;  // the pool grows in place before gradients are computed
  };
  if (!pool.keys.scales.defined()) return {held(pool.keys.rows), held(pool.values)};
  std::vector<at::Tensor> keys;
  for (const int slot : slots) keys.push_back(pool.keys.upcast(slot, first, count));
  return {at::stack(keys).to(options_), held(pool.values)};
}

HeadGroup SegmentedPolicy::group_of(const SegmentedState& state, int layer, const HeadReads& kind, Rope& rope) const {
  HeadGroup group{kind.heads, {}, {}, kind.per_query_head, kind.long_range};
  std::vector<at::Tensor> keys, values;
  std::int64_t slots = 0;
  for (const PrefixPart part : kind.parts) {
    PrefixRows rows = part_of(state, layer, kind, part);
    if (!rows.keys.defined()) continue;
    group.spans.push_back({part, slots, rows.keys.size(1)});
    slots += rows.keys.size(1);
    keys.push_back(std::move(rows.keys));
    values.push_back(std::move(rows.values));
  }
  if (slots == 0) return group;
  group.prefix_keys = rope.rotate_prefix(keys.size() == 1 ? keys[0] : at::cat(keys, 1));
  group.prefix_values = values.size() == 1 ? values[0] : at::cat(values, 1);
  return group;
}

std::vector<HeadGroup> SegmentedPolicy::read(const SegmentedState& state, int layer, Rope& rope) const {
  std::vector<HeadGroup> groups;
  for (const HeadReads& kind : head_reads(config_, model_, layer)) groups.push_back(group_of(state, layer, kind, rope));
  // Groups are sorted by their first head: if their heads do not interleave, outputs then need no reordering.
  if (groups.size() == 2 && groups[1].heads < groups[0].heads) std::swap(groups[0], groups[1]);
  return groups;
}

std::vector<HeadGroup> SegmentedPolicy::complete(const SegmentedState&, std::vector<HeadGroup> groups,
                                                 const ChunkQueries& chunk) const {
  for (HeadGroup& group : groups)
    if (group.span(PrefixPart::Retrieved).length > config_.retrieval_length)
      group.index = std::make_shared<const KeyIndex>(search_per_token(group, chunk, config_.retrieval_length, model_));
  return groups;
}

LayerTrace SegmentedPolicy::trace(int layer, const LayerKv& kv) const {
  LayerTrace trace;
  trace.carry = carry_tail(config_, model_, layer, kv.keys, kv.values);
  trace.sinks = first_tokens(config_, kv.keys, kv.values);
  const std::vector<int> kv_heads = pool_kv_heads(config_, model_, layer);
  if (kv_heads.empty()) return trace;
  std::tie(trace.past_keys, trace.past_values) = copy_heads(kv.keys.detach(), kv.values.detach(), kv_heads);
  const std::vector<int> searchers = search_heads(config_, model_, layer);
  if (searchers.empty()) return trace;
  const std::int64_t held = kv.queries.size(1), tail = std::min(config_.query_length, held);
  trace.queries = copy_heads(kv.queries.detach().narrow(1, held - tail, tail), searchers);
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
  state.without_pool = false;
  if (!reads_pool(config_, model_)) return;
  state.pool.append(keys, values, m);
  if (!per_token_) retrieve(state, queries);
}

SearchedEntries SegmentedPolicy::searched(const PolicyState& state, const HeadHits& list) const {
  return retriever_.searched(searched_pool(own(state)), list);
}

void SegmentedPolicy::search(PolicyState& state, const std::vector<LayerTrace>& traces) const {
  if (retrieves(config_, model_)) retrieve(own(state), queries_of(traces));
}

SearchedEntries SegmentedPolicy::visit_searchers(
    const PolicyState& state, const std::vector<LayerTrace>& traces,
    const std::function<void(HeadRef head, std::span<const double> scores)>& visit) const {
  return retriever_.visit_searchers(queries_of(traces), searched_pool(own(state)), visit);
}

void SegmentedPolicy::forget_retrieved(PolicyState& state) const {
  SegmentedState& mine = own(state);
  mine.retrieved = retriever_.gather({}, mine.pool, options_.device());
  mine.hits.clear();
  mine.near_ties = 0;
  mine.without_pool = true;
}

void SegmentedPolicy::retrieve(SegmentedState& state, const std::vector<at::Tensor>& queries) const {
  state.retrieved = retriever_.retrieve(queries, searched_pool(state), options_.device());
  state.hits = state.retrieved.hits;
  state.near_ties = state.retrieved.near_ties;
}

/// Names the carry and the sinks after a text whose segments are all whole except perhaps the last. Their lengths are
/// those that close() leaves.
void SegmentedPolicy::name_carry(SegmentedState& state, StateFields& fields) const {
  const std::int64_t tokens = state.next.first_token, d = model_.head_dim,
                     last = (tokens - 1) % config_.segment_length + 1,
                     sinks = std::min(config_.sink_length, std::min(tokens, config_.segment_length));
  std::int64_t carried = std::min(config_.carry_length, last);
  if (tokens <= config_.segment_length) carried = std::min(carried, last - sinks);
  if (fields.reading()) state.sinks.resize(static_cast<std::size_t>(model_.layers));
  for (const int layer : model_.global_layers()) {
    const auto l = static_cast<std::size_t>(layer);
    const auto pair = [&](const std::string& name, auto& rows, std::int64_t heads, std::int64_t length) {
      if (heads == 0 || length == 0) return;
      fields.tensor(field_prefix(layer) + name + "_keys", rows.keys, {heads, length, d}, options_);
      fields.tensor(field_prefix(layer) + name + "_values", rows.values, {heads, length, d}, options_);
    };
    pair("carry", state.carry.layers[l], std::ssize(carry_kv_heads(config_, model_, layer)), carried);
    pair("sink", state.sinks[l], model_.kv_heads, sinks);
  }
}

/// Names the state's fields. What was retrieved is not stored but gathered from the pool again, as the search gathered
/// it.
void SegmentedPolicy::name_fields(SegmentedState& state, StateFields& fields) const {
  name_carry(state, fields);
  if (!reads_pool(config_, model_)) return;
  state.pool.visit(fields, state.next.first_token);
  if (per_token_) return;
  fields.hits(state.hits, config_.retrieval_length);
  fields.count("near_ties", state.near_ties);
  if (!fields.reading()) return;
  state.retrieved = retriever_.gather(state.hits, state.pool, options_.device());
  state.retrieved.near_ties = state.near_ties;
}

std::unique_ptr<PolicyState> SegmentedPolicy::with_hits(const PolicyState& state, std::vector<HeadHits> hits) const {
  auto other = std::make_unique<SegmentedState>(own(state));
  other->pool.share();
  other->retrieved = retriever_.gather(std::move(hits), other->pool, options_.device());
  other->hits = other->retrieved.hits;
  other->near_ties = 0;
  return other;
}

std::unique_ptr<PolicyState> SegmentedPolicy::narrowed(const SegmentConfig& from, const PolicyState& state) const {
  const SegmentedState& whole = own(state);
  auto narrow = std::make_unique<SegmentedState>(RetrievalPool(config_, model_, options_, 0));
  static_cast<PolicyState&>(*narrow) = whole;
  narrow->sinks = whole.sinks;
  narrow->retrieved.hits = whole.retrieved.hits;
  narrow->retrieved.layers.resize(static_cast<std::size_t>(model_.layers));
  for (int layer = 0; layer < model_.layers; ++layer)
    for (const HeadReads& kind : head_reads(config_, model_, layer)) {
      if (!kind.read(PrefixPart::Retrieved)) continue;
      for (const HeadReads& wide : head_reads(from, model_, layer)) {
        const PrefixRows& held = whole.retrieved.layers[static_cast<std::size_t>(layer)].of(wide.long_range);
        if (!std::ranges::includes(wide.heads, kind.heads) || !held.keys.defined()) continue;
        CARRYOVER_CHECK(!kind.per_query_head && !wide.per_query_head);
        const std::vector<int> rows = places_of(kind.prefix_kv_heads(model_), wide.prefix_kv_heads(model_));
        narrow->retrieved.layers[static_cast<std::size_t>(layer)].of(kind.long_range) = {
            select_heads(held.keys, rows), select_heads(held.values, rows)};
      }
    }
  return narrow;
}

std::unique_ptr<AttentionPolicy> make_segmented(const PolicyRequest& r) {
  return std::make_unique<SegmentedPolicy>(r.config, r.model, r.options, r.expected_tokens, r.forced_hits, r.banned);
}

}  // namespace carryover
