// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/state/passages.h"

#include <algorithm>
#include <functional>
#include <map>

#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

/// Each position once, neighbours together.
std::vector<TokenRange> ranges_of(std::vector<std::int64_t> positions) {
  std::ranges::sort(positions);
  std::vector<TokenRange> ranges;
  for (const std::int64_t position : positions) {
    if (ranges.empty() || ranges.back().last < position)
      ranges.push_back({position, position + 1});
    else
      ranges.back().last = position + 1;
  }
  return ranges;
}

void add_held(const Passage& passage, std::vector<std::int64_t>& positions) {
  for (const SlotRef& slot : passage.held) positions.push_back(slot.position);
}

}  // namespace

std::vector<Passage> passages_of(const HeadHits& hits) {
  std::map<std::int64_t, Passage> by_anchor;
  for (const Hit& hit : hits.hits) {
    if (hit.kind == HitKind::Padding) continue;
    const bool is_new = !by_anchor.contains(hit.anchor);
    Passage& passage = by_anchor[hit.anchor];
    if (is_new) passage = {hit.position, hit.position, hit.anchor, hit.score, {}};
    passage.first = std::min(passage.first, hit.position);
    passage.end = std::max(passage.end, hit.position + 1);
    passage.held.push_back({hits.layer, hits.head, hit.position});
  }
  std::vector<Passage> all;
  for (auto& [anchor, passage] : by_anchor) all.push_back(std::move(passage));
  std::ranges::stable_sort(all, std::greater(), &Passage::score);
  return all;
}

QString passage_text(const RunModel& run, const Passage& passage) {
  return whole_text(run, {passage.first, passage.end}).replace(QLatin1Char('\n'), QChar(0x23ce));
}

std::vector<TokenRange> positions_of(const Passage& passage) {
  std::vector<std::int64_t> positions;
  add_held(passage, positions);
  return ranges_of(std::move(positions));
}

std::vector<TokenRange> positions_of_others(const std::vector<Passage>& all, std::size_t kept) {
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i != kept) add_held(all[i], positions);
  return ranges_of(std::move(positions));
}

SegmentEdit without_passage(const Passage& passage) {
  SegmentEdit edit;
  edit.dropped = passage.held;
  return edit;
}

SegmentEdit only_passage(const std::vector<Passage>& all, std::size_t kept) {
  SegmentEdit edit;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i != kept) edit.dropped.insert(edit.dropped.end(), all[i].held.begin(), all[i].held.end());
  return edit;
}

}  // namespace carryover
