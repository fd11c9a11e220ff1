// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/seen_keys.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "engine/config/head_reads.h"

namespace carryover {

namespace {

std::int64_t bytes_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.numel() * static_cast<std::int64_t>(tensor.itemsize()) : 0;
}

/// Returns the number of slots of a group's prefix and segment, of n positions so far, that the last query does not see
/// because they are outside its window; counted once per KV head.
std::int64_t unseen_slots(const HeadGroup& group, const ModelConfig& model, std::int64_t n) {
  if (group.window.length == 0) return 0;
  const std::int64_t rows = std::ssize(distinct_kv_heads(group.heads, model)), all = group.slots() + n;
  // The query sees either a token or its copy.
  return rows * std::max<std::int64_t>(0, all - group.window.sinks - group.window.far - group.window.length);
}

/// Returns the number of slots of a group's prefix that its index leaves out for the last query, summed over KV heads.
/// Retrieved slots count for each query head that reads them, because each has chosen its own.
std::int64_t unlisted_slots(const HeadGroup& group, const ModelConfig& model) {
  if (!group.index) return 0;
  const KeyRange choice = group.span(PrefixPart::Retrieved).range();
  std::int64_t unlisted = std::ssize(distinct_kv_heads(group.heads, model)) * choice.length();
  for (std::int64_t head = 0; head < group.index->rows; ++head)
    for (const KeyRange& range : group.index->list(head, group.index->tiles() - 1))
      unlisted -= range.within(choice).length();
  return unlisted;
}

/// Returns the ranges of `all` positions that the last query of a group sees, for head number `head` of the group,
/// which has KV head number `kv_row`.
std::vector<KeyRange> ranges_of(const HeadGroup& group, std::size_t head, std::int64_t kv_row, std::int64_t all) {
  if (group.index)
    return group.index->list(group.index->shared ? kv_row : static_cast<std::int64_t>(head), group.index->tiles() - 1);
  if (group.window.length == 0) return {KeyRange::of(0, all)};
  const std::int64_t begin = std::max<std::int64_t>(0, all - group.window.length);
  return {KeyRange::of(0, std::min(group.window.sinks, all)), KeyRange::of(begin, all)};
}

/// Removes the group's core tokens from ranges of its slots, which begin with them, and returns how many there were.
std::int64_t take_cores(const HeadGroup& group, std::vector<KeyRange>& ranges) {
  const auto end = static_cast<std::int32_t>(group.span(PrefixPart::Core).length);
  std::int64_t cores = 0;
  for (KeyRange& range : ranges) {
    const std::int32_t behind = std::clamp(end, range.first, range.end);
    cores += behind - range.first;
    range.first = behind;
  }
  return cores;
}

/// Returns the positions of a cache that at least one head sees, summed over KV heads. Each branch counts for itself.
/// If the prefix has a row for each query head, core tokens count for each head.
std::int64_t slots_of_cache(const std::vector<HeadGroup>& groups, const ModelConfig& model, std::int64_t n) {
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<KeyRange>> by_kv_head;  // for each branch
  std::int64_t slots = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const HeadGroup& group = groups[g];
    std::int64_t kv_row = -1, last = -1;
    for (std::size_t head = 0; head < group.heads.size(); ++head) {
      const std::int64_t kv_head = group.heads[head] / model.group_size();
      if (kv_head != last) ++kv_row;
      last = kv_head;
      std::vector<KeyRange> seen = ranges_of(group, head, kv_row, group.slots() + n);
      if (group.prefix_per_query_head) slots += take_cores(group, seen);
      auto& ranges = by_kv_head[{group.gate.defined() ? g : 0, kv_head}];
      ranges.insert(ranges.end(), seen.begin(), seen.end());
    }
  }
  for (auto& [of, ranges] : by_kv_head) {
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
    bytes += bytes_of(group.prefix_keys) + bytes_of(group.prefix_values) -
             pair * (unseen_slots(group, model, n) + unlisted_slots(group, model));
  return bytes;
}

}  // namespace carryover
