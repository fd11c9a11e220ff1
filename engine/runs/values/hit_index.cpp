// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/hit_index.h"

#include <algorithm>

#include "engine/base/error.h"

namespace carryover {
namespace {

template <typename Columns>
auto place_of(Columns& columns, int layer, int head) {
  return std::lower_bound(columns.begin(), columns.end(), std::pair(layer, head), [](const auto& column, auto wanted) {
    return std::pair(column.layer, column.head) < wanted;
  });
}

}  // namespace

BriefHead brief_of(const HeadHits& head) {
  BriefHead brief{head.layer, head.head, {}};
  brief.hits.reserve(head.hits.size());
  for (const Hit& hit : head.hits) {
    if (hit.position < 0 || hit.position >= BriefHit::end_of_positions)
      throw EngineError(Fault::Unsupported, "hits", "position " + std::to_string(hit.position) + " is too large",
                        "Show a part of the text, of at most 1 073 741 824 tokens.");
    brief.hits.emplace_back(hit.position, hit.kind);
  }
  return brief;
}

BriefHits HitIndex::Column::of(int segment) const {
  const auto index = static_cast<std::size_t>(segment);
  if (segment < 0 || index >= ends.size()) return {};
  const std::size_t first = index == 0 ? 0 : ends[index - 1];
  return {hits.data() + first, static_cast<std::size_t>(ends[index]) - first};
}

void HitIndex::append(int segment, std::span<const BriefHead> heads) {
  for (const BriefHead& head : heads) {
    auto column = place_of(columns_, head.layer, head.head);
    if (column == columns_.end() || column->layer != head.layer || column->head != head.head)
      column = columns_.insert(column, Column{head.layer, head.head, {}, {}});
    column->ends.resize(static_cast<std::size_t>(segment), column->hits.size());
    column->hits.insert(column->hits.end(), head.hits.begin(), head.hits.end());
    column->ends.push_back(column->hits.size());
  }
}

void HitIndex::cut(int segments) {
  for (Column& column : columns_) {
    if (std::ssize(column.ends) <= segments) continue;
    column.ends.resize(static_cast<std::size_t>(segments));
    column.hits.resize(column.ends.empty() ? 0 : column.ends.back(), BriefHit(0, HitKind::Padding));
  }
  std::erase_if(columns_, [](const Column& column) { return column.hits.empty(); });
}

const HitIndex::Column* HitIndex::find(int layer, int head) const {
  const auto column = place_of(columns_, layer, head);
  return column != columns_.end() && column->layer == layer && column->head == head ? &*column : nullptr;
}

BriefHits HitIndex::of(int segment, int layer, int head) const {
  const Column* column = find(layer, head);
  return column ? column->of(segment) : BriefHits();
}

std::int64_t HitIndex::bytes() const {
  std::size_t sum = 0;
  for (const Column& column : columns_)
    sum += column.hits.capacity() * sizeof(BriefHit) + column.ends.capacity() * sizeof(std::uint64_t);
  return static_cast<std::int64_t>(sum);
}

}  // namespace carryover
