// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/ablated.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace carryover {

namespace {

/// Returns the row of a group's prefix that head number `head` of the group reads.
std::int64_t prefix_row(const HeadGroup& group, std::size_t head, std::int64_t group_size) {
  if (group.prefix_per_query_head) return static_cast<std::int64_t>(head);
  std::int64_t row = 0;
  for (std::size_t i = 1; i <= head; ++i) row += group.heads[i] / group_size != group.heads[i - 1] / group_size;
  return row;
}

/// Returns a group of only head number `head` of `group`, with only these slots of the prefix.
HeadGroup one_head(const HeadGroup& group, std::size_t head, const std::vector<std::int64_t>& slots,
                   std::int64_t group_size) {
  HeadGroup part{{group.heads[head]}, {}, {}, true, group.long_range};
  for (const PrefixSpan& span : group.spans) {
    const auto inside = [&](std::int64_t slot) { return span.holds(slot); };
    const std::int64_t first = part.spans.empty() ? 0 : part.spans.back().end();
    if (const auto kept = std::ranges::count_if(slots, inside); kept > 0)
      part.spans.push_back({span.part, first, kept});
  }
  if (slots.empty()) return part;
  const at::Tensor kept = at::tensor(slots, at::kLong).to(group.prefix_keys.device());
  const std::int64_t row = prefix_row(group, head, group_size);
  part.prefix_keys = group.prefix_keys.narrow(0, row, 1).index_select(1, kept);
  part.prefix_values = group.prefix_values.narrow(0, row, 1).index_select(1, kept);
  return part;
}

/// Removes a part from the group's prefix.
void remove_part(HeadGroup& group, PrefixPart part) {
  const PrefixSpan gone = group.span(part);
  if (gone.length == 0) return;
  const std::int64_t behind = gone.end(), left = group.slots() - gone.length;
  const auto without = [&](const at::Tensor& rows) {
    if (left == 0) return at::Tensor();
    return at::cat({rows.narrow(1, 0, gone.first), rows.narrow(1, behind, rows.size(1) - behind)}, 1);
  };
  group.prefix_keys = without(group.prefix_keys);
  group.prefix_values = without(group.prefix_values);
  std::erase_if(group.spans, [&](const PrefixSpan& span) { return span.part == part; });
  for (PrefixSpan& span : group.spans)
    if (span.first > gone.first) span.first -= gone.length;
}

}  // namespace

bool AblatedPolicy::drops(const HeadHits& list, std::int64_t position) const {
  return std::ranges::count(edit_.dropped, SlotRef{list.layer, list.head, position}) > 0;
}

std::vector<std::int64_t> AblatedPolicy::kept_slots(const HeadGroup& group, HeadRef head, const HeadHits* hits) const {
  std::vector<std::int64_t> kept;
  for (const PrefixSpan& span : group.spans) {
    if (std::ranges::count(edit_.unread, HeadPart{head, span.part}) > 0) continue;
    const bool lists = span.part == PrefixPart::Retrieved && hits != nullptr;
    for (std::int64_t slot = span.first; slot < span.end(); ++slot)
      if (!lists || !drops(*hits, hits->hits[static_cast<std::size_t>(slot - span.first)].position))
        kept.push_back(slot);
  }
  return kept;
}

std::vector<HeadGroup> AblatedPolicy::edited(const PolicyState& state, int layer, std::vector<HeadGroup> read) const {
  std::vector<HeadGroup> groups;
  for (HeadGroup& group : read) {
    if (edit_.prefix == PrefixSource::Off) remove_part(group, PrefixPart::Retrieved);
    if (edit_.no_sinks) remove_part(group, PrefixPart::Sinks);
    if (edit_.no_carry) remove_part(group, PrefixPart::Carry);
    std::vector<std::vector<std::int64_t>> kept;
    if (edit_.dropped.empty() && edit_.unread.empty()) {
      groups.push_back(std::move(group));
      continue;
    }
    for (const int head : group.heads)
      kept.push_back(kept_slots(group, {layer, head}, find_hits(state.hits, layer, head)));
    const auto whole = [&](const std::vector<std::int64_t>& slots) { return std::ssize(slots) == group.slots(); };
    if (std::ranges::all_of(kept, whole)) {
      groups.push_back(std::move(group));
      continue;
    }
    for (std::size_t head = 0; head < group.heads.size(); ++head)
      groups.push_back(one_head(group, head, kept[head], group_size_));
  }
  return groups;
}

std::vector<HeadGroup> AblatedPolicy::context(const PolicyState& state, int layer, Rope& rope) const {
  return edited(state, layer, whole_.context(state, layer, rope));
}

std::vector<HeadGroup> AblatedPolicy::select(const PolicyState& state, std::vector<HeadGroup> groups,
                                             const ChunkQueries& queries) const {
  return edited(state, queries.layer, whole_.select(state, std::move(groups), queries));
}

std::vector<HeadHits> AblatedPolicy::hits(const PolicyState& state) const {
  if (edit_.prefix == PrefixSource::Off) return {};
  std::vector<HeadHits> hits = state.hits;
  for (HeadHits& head : hits) std::erase_if(head.hits, [&](const Hit& hit) { return drops(head, hit.position); });
  return hits;
}

}  // namespace carryover
