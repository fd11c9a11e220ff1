// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/ablated.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace carryover {

namespace {

/// All of it but the sinks.
void remove_prefix(HeadGroup& group) {
  const bool keeps = group.sinks > 0 && group.prefix_keys.defined();
  group.prefix_keys = keeps ? group.prefix_keys.narrow(1, 0, group.sinks) : at::Tensor();
  group.prefix_values = keeps ? group.prefix_values.narrow(1, 0, group.sinks) : at::Tensor();
}

/// The part of a group that is one row of its heads, with its sinks and `hits`, slots behind them.
HeadGroup one_head(const HeadGroup& group, std::size_t row, const std::vector<std::int64_t>& hits) {
  HeadGroup head{{group.heads[row]}, {}, {}, true, group.sinks};
  std::vector<std::int64_t> slots(static_cast<std::size_t>(group.sinks));
  std::iota(slots.begin(), slots.end(), 0);
  for (const std::int64_t hit : hits) slots.push_back(group.sinks + hit);
  if (slots.empty()) return head;
  const at::Tensor kept = at::tensor(slots, at::kLong).to(group.prefix_keys.device());
  const auto at_row = static_cast<std::int64_t>(row);
  head.prefix_keys = group.prefix_keys.narrow(0, at_row, 1).index_select(1, kept);
  head.prefix_values = group.prefix_values.narrow(0, at_row, 1).index_select(1, kept);
  return head;
}

/// The other rows, as they were.
HeadGroup rest_of(const HeadGroup& group, const std::vector<std::int64_t>& rows) {
  const at::Tensor kept = at::tensor(rows, at::kLong).to(group.prefix_keys.device());
  HeadGroup rest{
      {}, group.prefix_keys.index_select(0, kept), group.prefix_values.index_select(0, kept), true, group.sinks};
  for (const std::int64_t row : rows) rest.heads.push_back(group.heads[static_cast<std::size_t>(row)]);
  return rest;
}

}  // namespace

bool AblatedPolicy::drops(int layer, int head, std::int64_t position) const {
  return std::find(edit_.dropped.begin(), edit_.dropped.end(), SlotRef{layer, head, position}) != edit_.dropped.end();
}

std::vector<HeadGroup> AblatedPolicy::context(const PolicyState& state, int layer, Rope& rope) const {
  std::vector<HeadGroup> groups;
  for (HeadGroup& group : whole_.context(state, layer, rope)) {
    const bool retrieved = group.prefix_per_query_head;
    if (retrieved ? edit_.prefix == PrefixSource::Off : edit_.no_carry) remove_prefix(group);
    std::vector<std::int64_t> untouched;
    for (std::size_t row = 0; row < group.heads.size(); ++row) {
      const HeadHits* hits =
          retrieved && group.prefix_keys.defined() ? find_hits(state.hits, layer, group.heads[row]) : nullptr;
      std::vector<std::int64_t> kept;
      if (hits)
        for (std::size_t slot = 0; slot < hits->hits.size(); ++slot)
          if (!drops(layer, group.heads[row], hits->hits[slot].position))
            kept.push_back(static_cast<std::int64_t>(slot));
      if (!hits || kept.size() == hits->hits.size())
        untouched.push_back(static_cast<std::int64_t>(row));
      else
        groups.push_back(one_head(group, row, kept));
    }
    if (untouched.size() == group.heads.size())
      groups.push_back(std::move(group));
    else if (!untouched.empty())
      groups.push_back(rest_of(group, untouched));
  }
  return groups;
}

std::vector<HeadHits> AblatedPolicy::hits(const PolicyState& state) const {
  if (edit_.prefix == PrefixSource::Off) return {};
  std::vector<HeadHits> hits = state.hits;
  for (HeadHits& head : hits)
    std::erase_if(head.hits, [&](const Hit& hit) { return drops(head.layer, head.head, hit.position); });
  return hits;
}

}  // namespace carryover
