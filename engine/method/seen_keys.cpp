// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/seen_keys.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "engine/core/config/head_reads.h"

namespace carryover {

namespace {

std::int64_t bytes_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.numel() * static_cast<std::int64_t>(tensor.itemsize()) : 0;
}

/// Of a group's prefix and segment, n positions so far, what its last query doesn't see of its window.
std::int64_t unseen_slots(const HeadGroup& group, const ModelConfig& model, std::int64_t n) {
  if (group.window.length == 0) return 0;
  const std::int64_t rows = std::ssize(distinct_kv_heads(group.heads, model)), all = group.slots() + n;
  // Of a token and its copy the query sees one.
  return rows * std::max<std::int64_t>(0, all - group.window.sinks - group.window.far - group.window.length);
}

/// What the last query of a group's `head`-th head sees of `all` positions.
std::vector<KeyRange> ranges_of(const HeadGroup& group, std::size_t head, std::int64_t all) {
  if (group.index) return group.index->list(static_cast<std::int64_t>(head), group.index->tiles() - 1);
  const auto end = static_cast<std::int32_t>(all);
  if (group.window.length == 0) return {{0, end}};
  const std::int64_t begin = std::max<std::int64_t>(0, all - group.window.length);
  return {{0, static_cast<std::int32_t>(std::min(group.window.sinks, all))}, {static_cast<std::int32_t>(begin), end}};
}

/// Positions × KV heads of a cache that any head sees which reads it.
std::int64_t slots_of_cache(const std::vector<HeadGroup>& groups, const ModelConfig& model, std::int64_t n) {
  std::map<std::int64_t, std::vector<KeyRange>> by_kv_head;
  for (const HeadGroup& group : groups)
    for (std::size_t head = 0; head < group.heads.size(); ++head) {
      auto& ranges = by_kv_head[group.heads[head] / model.group_size()];
      for (const KeyRange& range : ranges_of(group, head, group.slots() + n)) ranges.push_back(range);
    }
  std::int64_t slots = 0;
  for (auto& [kv_head, ranges] : by_kv_head) {
    unite(ranges);
    for (const KeyRange& range : ranges) slots += range.length();
  }
  return slots;
}

}  // namespace

std::int64_t seen_bytes(const std::vector<HeadGroup>& groups, const at::Tensor& like, const ModelConfig& model,
                        std::int64_t n) {
  const std::int64_t pair = 2 * model.head_dim * static_cast<std::int64_t>(like.itemsize());
  if (groups.front().shares_cache) return pair * slots_of_cache(groups, model, n);
  std::int64_t bytes = pair * model.kv_heads * n;
  for (const HeadGroup& group : groups)
    bytes += bytes_of(group.prefix_keys) + bytes_of(group.prefix_values) - pair * unseen_slots(group, model, n);
  return bytes;
}

}  // namespace carryover
