// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/forward_map.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>

#include "engine/core/base/error.h"
#include "engine/method/head_groups.h"
#include "engine/method/head_select.h"
#include "engine/method/layer_checkpoint.h"
#include "engine/method/seen_keys.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/head_attention.h"
#include "engine/ops/prefix_attention.h"

namespace carryover {

namespace {

/// The group for a device that reads keys and values where they lie.
ops::HeadAttention by_heads(const HeadGroup& group, const at::Tensor& queries, const LayerKv& kv,
                            std::int64_t group_size) {
  ops::HeadAttention attention{queries, group.heads,     group.prefix_keys, group.prefix_values,
                               {},      kv.rotated_keys, kv.values,         {}};
  int distinct = -1, last = -1;
  for (int i = 0; i < static_cast<int>(group.heads.size()); ++i) {
    const int kv_head = group.heads[static_cast<std::size_t>(i)] / static_cast<int>(group_size);
    if (kv_head != last) ++distinct;
    last = kv_head;
    attention.kv_rows.push_back(kv_head);
    attention.prefix_rows.push_back(group.prefix_per_query_head ? i : distinct);
  }
  return attention;
}

/// Attention of one head group (eq:attn): [heads, m, d]. `received`: null, or where to put what its keys get.
at::Tensor attend(const HeadGroup& group, const at::Tensor& queries, const at::Tensor& sink_queries, const LayerKv& kv,
                  std::int64_t group_size, at::Tensor* received) {
  if (group.window.length == 0 && !group.index && ops::attends_by_heads(queries))
    return ops::attend_heads(by_heads(group, queries, kv, group_size));
  const KvSharing sharing = share_kv(group.heads, group_size);
  ops::PrefixAttention attention;
  attention.queries = grouped(select_heads(queries, group.heads), sharing.r);
  attention.prefix_keys = group_prefix(group.prefix_keys, group, sharing);
  attention.prefix_values = group_prefix(group.prefix_values, group, sharing);
  attention.keys = select_heads(kv.rotated_keys, sharing.kv_rows).unsqueeze(1);
  attention.values = select_heads(kv.values, sharing.kv_rows).unsqueeze(1);
  attention.window = {group.window.length, group.window.sinks, {}, group.window.far};
  attention.index = group.index.get();
  if (sink_queries.defined() && group.window.furthest >= 0)
    attention.window.sink_queries = grouped(select_heads(sink_queries, group.heads), sharing.r);
  if (received == nullptr) return ops::prefix_attention(attention).flatten(0, 1);
  const ops::WeighedAttention weighed = ops::weighed_attention(attention);
  *received = weighed.received.flatten(0, 1);
  return weighed.out.flatten(0, 1);
}

/// What heads put out, of all their branches: [heads, m, d].
struct HeadOutputs {
  const std::vector<int>* heads;
  at::Tensor rows;
};

/// Adds a group's outputs: as those of other heads, or, where it is a further branch of the last ones, to theirs.
void add_outputs(std::vector<HeadOutputs>& outputs, const HeadGroup& group, const at::Tensor& rows) {
  if (!group.gate.defined()) return outputs.push_back({&group.heads, rows});
  at::Tensor weighed = rows * group.gate.unsqueeze(2);
  if (outputs.empty() || *outputs.back().heads != group.heads) return outputs.push_back({&group.heads, weighed});
  outputs.back().rows = weighed.add_(outputs.back().rows);
}

/// The outputs side by side in order of query heads: [m, H·d].
at::Tensor in_head_order(const std::vector<HeadOutputs>& outputs) {
  const std::int64_t m = outputs[0].rows.size(1), d = outputs[0].rows.size(2);
  std::vector<at::Tensor> rows;
  std::map<int, int> places;
  for (const HeadOutputs& of_heads : outputs) {
    rows.push_back(of_heads.rows.transpose(0, 1).reshape({m, -1}));
    for (int head : *of_heads.heads) places.emplace(head, static_cast<int>(places.size()));
  }
  const at::Tensor joined = rows.size() == 1 ? rows[0] : at::cat(rows, 1);
  std::vector<int> place_of_head;
  for (const auto& [head, place] : places) place_of_head.push_back(place);
  if (std::is_sorted(place_of_head.begin(), place_of_head.end())) return joined;
  const at::Tensor by_head = joined.view({m, -1, d}).transpose(0, 1);
  return select_heads(by_head, place_of_head).transpose(0, 1).reshape({m, -1});
}

/// A layer's attention: what it worked on, and the stream behind it.
struct Attended {
  at::Tensor queries;       ///< [H, m, d], rotated
  at::Tensor sink_queries;  ///< the same for the sinks; undefined where they are read alike
  LayerKv kv;               ///< of the segment so far
  at::Tensor x;             ///< [m, D]
};

/// Queries at position `furthest` at most, which is the same for all groups; undefined where none stands behind it.
at::Tensor rotate_for_sinks(const LayerCall& call, const at::Tensor& queries, const std::vector<HeadGroup>& groups) {
  const auto limited = std::ranges::find_if(groups, [](const HeadGroup& group) { return group.window.furthest >= 0; });
  const std::int64_t m = queries.size(1);
  if (limited == groups.end() || call.first_position + m - 1 <= limited->window.furthest) return {};
  const RopeAngles angles = call.context.rope.angles_up_to(call.first_position, m, limited->window.furthest);
  return ops::rotate(queries, angles.cos, angles.sin);
}

/// Of queries from position `first` of the text on those of tokens that end a group: [H, ends, d].
at::Tensor at_group_ends(const at::Tensor& queries, std::int64_t first, std::int64_t group) {
  const std::int64_t m = queries.size(1);
  return queries.slice(1, std::min(m, group - 1 - first % group), m, group);
}

/// `selected`: where the policy selects, what it selected, which takes the place of its context.
Attended attend_layer(const LayerCall& call, const at::Tensor& x, const std::vector<HeadGroup>& context,
                      std::vector<HeadGroup>& selected) {
  const ForwardContext& f = call.context;
  const Decoder& decoder = f.decoder;
  f.spend(&SegmentTime::projections);
  const auto fresh = decoder.project(call.layer, x, call.dropout);
  const at::Tensor queries = ops::rotate(fresh.queries, call.angles.cos, call.angles.sin);
  LayerKv kv{fresh.queries, fresh.keys, fresh.values, ops::rotate(fresh.keys, call.angles.cos, call.angles.sin)};
  if (call.open != nullptr) kv = call.open->extend(call.layer, kv);
  if (const std::int64_t group = f.policy.pooled_group(); group > 0) {
    kv.end_queries = at_group_ends(queries, call.first_position, group);
    if (call.open != nullptr) kv.end_queries = call.open->add_end_queries(call.layer, kv.end_queries);
  }
  if (f.policy.selects()) {
    const at::Tensor gates = f.policy.gated() ? decoder.branch_gates(call.layer, x) : at::Tensor();
    f.spend(&SegmentTime::retrieval);
    selected =
        f.policy.select(call.state, context, {call.layer, call.frame, queries, fresh.queries, kv, f.rope, gates});
  }
  const std::vector<HeadGroup>& groups = f.policy.selects() ? selected : context;
  const at::Tensor sink_queries = rotate_for_sinks(call, fresh.queries, groups);

  const bool weighs = f.policy.weighs_keys();
  CARRYOVER_CHECK(!weighs || groups.size() == 1);
  std::vector<HeadOutputs> outputs;
  for (const HeadGroup& group : groups) {
    f.spend(group.long_range ? &SegmentTime::long_attention : &SegmentTime::local_attention);
    add_outputs(outputs, group,
                attend(group, queries, sink_queries, kv, decoder.config.group_size(), weighs ? &kv.received : nullptr));
  }
  if (weighs && call.open != nullptr) kv.received = call.open->add_received(call.layer, std::move(kv.received));
  f.spend(&SegmentTime::projections);
  at::Tensor heads = in_head_order(outputs);
  if (f.replace_outputs) heads = f.replace_outputs(call.layer, heads);
  return {queries, sink_queries, kv, decoder.add_attention(call.layer, x, heads, call.dropout, call.reuses_x)};
}

}  // namespace

LayerResult run_layer(const LayerCall& call, const at::Tensor& x, const std::vector<HeadGroup>& context) {
  const ForwardContext& f = call.context;
  std::vector<HeadGroup> selected;
  Attended attended = attend_layer(call, x, context, selected);
  const std::vector<HeadGroup>& groups = f.policy.selects() ? selected : context;
  LayerResult result;
  result.attention_kv_bytes = seen_bytes(groups, x, f.decoder.config, attended.kv.keys.size(1));
  f.spend(&SegmentTime::retrieval);
  if (call.open == nullptr) result.trace = f.policy.trace(call.layer, attended.kv);
  if (f.watch_attention) {
    f.spend(&SegmentTime::host);
    f.watch_attention({call.layer, groups, attended.queries, attended.kv, x, attended.sink_queries});
  }
  if (!f.watch) {  // the feed-forward does not pay for the rest
    attended = {{}, {}, {}, attended.x};
    selected.clear();
  }
  f.spend(&SegmentTime::feed_forward);
  result.x = f.decoder.add_feed_forward(call.layer, attended.x, call.dropout, call.reuses_x);
  f.spend(&SegmentTime::host);
  if (f.watch)
    f.watch({{call.layer, groups, attended.queries, attended.kv, x, attended.sink_queries}, attended.x, result.x});
  return result;
}

at::Tensor forward_map(const ForwardContext& f, const PolicyState& state, OpenSegment& open, const at::Tensor& ids) {
  const ModelConfig& model = f.decoder.config;
  const std::int64_t m = ids.size(0);
  const std::int64_t position = f.policy.first_position(open.frame()) + open.length();
  const RopeAngles angles = f.rope.angles(position, m);
  const bool checkpointing = f.checkpointing && open.whole() && at::GradMode::is_enabled();
  open.restart_attention_kv();
  f.spend(&SegmentTime::projections);
  std::shared_ptr<const PolicyState> kept;  // for layers that run again once the segment is closed
  if (checkpointing && f.policy.selects()) kept = state.clone();

  LayerCall call{f, state, open.frame(), 0, angles, position, f.dropout, open.whole() ? nullptr : &open};
  call.dropout.segment = static_cast<std::uint64_t>(open.frame().index);
  call.reuses_x = !checkpointing && !f.watch && !f.watch_attention;
  at::Tensor x = f.decoder.embed(ids);
  for (call.layer = 0; call.layer < model.layers; ++call.layer) {
    f.spend(&SegmentTime::retrieval);
    const std::vector<HeadGroup>& groups = open.context(f.policy, state, call.layer, f.rope);
    LayerResult result = checkpointing ? run_layer_checkpointed(call, kept, x, groups) : run_layer(call, x, groups);
    x = std::move(result.x);
    open.count_attention_kv(result.attention_kv_bytes);
    open.keep(call.layer, std::move(result.trace));
    if (f.after_layer) f.after_layer(call.layer);
  }
  open.advance(m);
  f.spend(&SegmentTime::projections);
  return f.decoder.finish(x);
}

}  // namespace carryover
