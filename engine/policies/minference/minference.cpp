// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/minference/minference.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "engine/method/pattern_index.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/policies/registry.h"

namespace carryover {

namespace {

/// Returns `all` with only the heads `heads`. Full attention's prefix has a row for each KV head; rows of other heads
/// are left out.
HeadGroup part_of(const HeadGroup& all, std::vector<int> heads, std::int64_t group_size) {
  HeadGroup part = all;
  part.heads = std::move(heads);
  if (!all.prefix_keys.defined()) return part;
  std::vector<std::int64_t> rows;
  for (const int head : part.heads)
    if (rows.empty() || rows.back() != head / group_size) rows.push_back(head / group_size);
  if (std::ssize(rows) == all.prefix_keys.size(0)) return part;
  const at::Tensor kept = at::tensor(rows, at::TensorOptions(all.prefix_keys.device()).dtype(at::kLong));
  part.prefix_keys = all.prefix_keys.index_select(0, kept);
  part.prefix_values = all.prefix_values.index_select(0, kept);
  return part;
}

}  // namespace

/// Returns a group for each size of an A-shape.
std::vector<HeadGroup> MinferencePolicy::a_shapes(const HeadGroup& all, int layer) const {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<int>> heads;
  for (const int head : all.heads)
    if (const HeadPattern pattern = patterns_.at(layer, head); pattern.kind == PatternKind::AShape)
      heads[{pattern.vertical, pattern.slash}].push_back(head);
  std::vector<HeadGroup> groups;
  for (auto& [size, of_size] : heads) {
    HeadGroup group = part_of(all, std::move(of_size), model_.group_size());
    group.window = {size.second, size.first, -1};
    group.shares_cache = true;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<HeadGroup> MinferencePolicy::complete(const FullState&, std::vector<HeadGroup> groups,
                                                  const ChunkQueries& chunk) const {
  if (chunk.count() == 1) return groups;
  const HeadGroup& all = groups.front();
  std::vector<HeadGroup> completed = a_shapes(all, chunk.layer);
  std::vector<int> listed;
  std::vector<HeadPattern> patterns;
  for (const int head : all.heads) {
    const HeadPattern pattern = patterns_.at(chunk.layer, head);
    if (pattern.kind == PatternKind::AShape) continue;
    listed.push_back(head);
    patterns.push_back(pattern);
  }
  if (listed.empty()) return completed;
  at::Tensor keys = chunk.kv.rotated_keys.detach();
  if (all.prefix_keys.defined()) keys = at::cat({all.prefix_keys, keys}, 1);
  auto index =
      std::make_shared<const KeyIndex>(pattern_index(patterns, listed, chunk.rotated.detach(), keys, model_.score_cap));
  HeadGroup group = part_of(all, std::move(listed), model_.group_size());
  group.index = std::move(index);
  group.shares_cache = true;
  completed.push_back(std::move(group));
  return completed;
}

std::unique_ptr<AttentionPolicy> make_minference(const PolicyRequest& r) {
  return std::make_unique<MinferencePolicy>(r.config.of<MinferenceSettings>().head_patterns, r.model, r.options,
                                            r.expected_tokens);
}

}  // namespace carryover
