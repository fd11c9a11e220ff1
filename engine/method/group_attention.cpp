// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/group_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "engine/method/head_groups.h"
#include "engine/method/head_select.h"
#include "engine/ops/head_attention.h"
#include "engine/ops/prefix_attention.h"

namespace carryover {

namespace {

/// Returns a prefix and the segment that stands in its room as one view: [rows, P + n, d].
at::Tensor with_room(const at::Tensor& prefix, const at::Tensor& segment) {
  if (!prefix.defined()) return segment;
  return prefix.as_strided({prefix.size(0), prefix.size(1) + segment.size(1), prefix.size(2)}, prefix.strides());
}

/// Returns the operands of the group's attention for a device that reads keys and values in place.
ops::HeadAttention by_heads(const HeadGroup& group, const RotatedQueries& queries, const LayerKv& kv,
                            const ModelConfig& model) {
  ops::HeadAttention attention{queries.rows,   queries.places(group.heads), {}, {}, {}, kv.rotated_keys, kv.values, {},
                               model.score_cap};
  const auto group_size = static_cast<int>(model.group_size());
  if (kv.in_room) {
    attention.keys = with_room(group.prefix_keys, kv.rotated_keys);
    attention.values = with_room(group.prefix_values, kv.values);
  } else {
    attention.prefix_keys = group.prefix_keys;
    attention.prefix_values = group.prefix_values;
  }
  int distinct = -1, last = -1;
  for (int i = 0; i < static_cast<int>(group.heads.size()); ++i) {
    const int kv_head = group.heads[static_cast<std::size_t>(i)] / group_size;
    if (kv_head != last) ++distinct;
    last = kv_head;
    attention.kv_rows.push_back(kv_head);
    attention.prefix_rows.push_back(group.prefix_per_query_head ? i : distinct);
  }
  return attention;
}

/// Returns true if a group's queries see everything before them and the device reads keys and values in place.
bool attends_by_heads(const HeadGroup& group, const RotatedQueries& queries) {
  return group.window.length == 0 && !group.index && ops::attends_by_heads(queries.rows);
}

/// Returns the attention outputs of one head group (eq:attn): [heads, m, d]. `received`: null, or the tensor that gets
/// the attention that the group's keys receive.
at::Tensor attend(const HeadGroup& group, const RotatedQueries& queries, const at::Tensor& sink_queries,
                  const LayerKv& kv, const ModelConfig& model, at::Tensor* received) {
  if (attends_by_heads(group, queries)) return ops::attend_heads(by_heads(group, queries, kv, model));
  const KvSharing sharing = share_kv(group.heads, model.group_size());
  ops::PrefixAttention attention;
  attention.queries = grouped(select_heads(queries.rows, queries.places(group.heads)), sharing.r);
  attention.prefix_keys = group_prefix(group.prefix_keys, group, sharing);
  attention.prefix_values = group_prefix(group.prefix_values, group, sharing);
  attention.keys = select_heads(kv.rotated_keys, sharing.kv_rows).unsqueeze(1);
  attention.values = select_heads(kv.values, sharing.kv_rows).unsqueeze(1);
  attention.window = {group.window.length, group.window.sinks, {}, group.window.far};
  attention.index = group.index.get();
  attention.score_cap = model.score_cap;
  if (sink_queries.defined() && group.window.furthest >= 0)
    attention.window.sink_queries = grouped(select_heads(sink_queries, group.heads), sharing.r);
  if (received == nullptr) return ops::prefix_attention(attention).flatten(0, 1);
  const ops::WeighedAttention weighed = ops::weighed_attention(attention);
  *received = weighed.received.flatten(0, 1);
  return weighed.out.flatten(0, 1);
}

/// The outputs of some heads, summed over their branches: [heads, m, d].
struct HeadOutputs {
  const std::vector<int>* heads;
  at::Tensor rows;
};

/// Adds a group's outputs to the list. The outputs of a further branch of the last group's heads are added to that
/// group's.
void add_outputs(std::vector<HeadOutputs>& outputs, const HeadGroup& group, const at::Tensor& rows) {
  if (!group.gate.defined()) return outputs.push_back({&group.heads, rows});
  at::Tensor weighed = rows * group.gate.unsqueeze(2);
  if (outputs.empty() || *outputs.back().heads != group.heads) return outputs.push_back({&group.heads, weighed});
  outputs.back().rows = weighed.add_(outputs.back().rows);
}

/// Returns the outputs side by side in order of query heads: [m, H·d].
at::Tensor in_head_order(const std::vector<HeadOutputs>& outputs) {
  const std::int64_t m = outputs[0].rows.size(1), d = outputs[0].rows.size(2);
  if (outputs.size() > 1 && std::ssize(outputs) <= ops::most_placed_groups() &&
      ops::attends_by_heads(outputs[0].rows)) {
    std::vector<ops::PlacedHeads> groups;
    for (const HeadOutputs& of_heads : outputs) groups.push_back({*of_heads.heads, of_heads.rows});
    return ops::place_heads(groups);
  }
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

/// Computes the attention of all heads for one decoded token in one call: [1, H·d]. Returns an undefined tensor if the
/// groups or the device do not allow that.
at::Tensor attend_at_once(const std::vector<HeadGroup>& groups, const RotatedQueries& queries, const LayerKv& kv,
                          const ModelConfig& model) {
  if (queries.rows.size(1) > 1 || !queries.place.empty()) return {};
  std::vector<ops::HeadAttention> all;
  for (const HeadGroup& group : groups) {
    if (!attends_by_heads(group, queries) || group.gate.defined()) return {};
    all.push_back(by_heads(group, queries, kv, model));
  }
  const at::Tensor rows = ops::attend_row(all);
  return rows.defined() ? rows.view({1, -1}) : rows;
}

}  // namespace

at::Tensor attend_groups(const ForwardContext& f, const std::vector<HeadGroup>& groups, const RotatedQueries& queries,
                         const at::Tensor& sink_queries, const LayerKv& kv, at::Tensor* received) {
  const ModelConfig& model = f.decoder.config;
  f.spend(&SegmentTime::local_attention);
  if (const at::Tensor row = attend_at_once(groups, queries, kv, model); row.defined()) return row;
  std::vector<HeadOutputs> outputs;
  for (const HeadGroup& group : groups) {
    f.spend(group.long_range ? &SegmentTime::long_attention : &SegmentTime::local_attention);
    add_outputs(outputs, group, attend(group, queries, sink_queries, kv, model, received));
  }
  f.spend(&SegmentTime::projections);
  return in_head_order(outputs);
}

}  // namespace carryover
