// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/select_hits.h"

#include <algorithm>
#include <map>
#include <vector>

namespace carryover::kernels::reference {
namespace {

struct Anchor {
  std::int64_t index;
  float score;
  std::int32_t candidate;
};

/// Returns the anchors, best first: each index once, with the first candidate that scores it best.
std::vector<Anchor> best_anchors(const SelectHits& args, const float* scores, const std::int64_t* indices) {
  std::map<std::int64_t, Anchor> best;
  for (std::int32_t summary = 0; summary < args.summaries; ++summary) {
    for (std::int32_t rank = 0; rank < args.kept; ++rank) {
      const std::int32_t candidate = summary * args.row_stride + rank;
      const Anchor anchor{indices[candidate], scores[candidate], candidate};
      if (anchor.index < 0) continue;
      const auto place = best.try_emplace(anchor.index, anchor).first;
      if (anchor.score > place->second.score) place->second = anchor;
    }
  }
  std::vector<Anchor> anchors;
  for (const auto& [index, anchor] : best) anchors.push_back(anchor);
  std::stable_sort(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) { return a.score > b.score; });
  if (static_cast<std::int64_t>(anchors.size()) > args.anchors) anchors.resize(static_cast<std::size_t>(args.anchors));
  return anchors;
}

/// Returns the slots as a map of position → origin.
std::map<std::int64_t, std::int32_t> slots_of(const SelectHits& args, const std::vector<Anchor>& anchors) {
  std::map<std::int64_t, std::int32_t> slots;
  const auto wanted = static_cast<std::size_t>(args.length);
  for (const Anchor& anchor : anchors) {
    const std::int64_t last = std::min(anchor.index + args.expand_after, args.entries - 1);
    for (std::int64_t at = std::max<std::int64_t>(0, anchor.index - args.expand_before); at <= last; ++at) {
      if (slots.size() < wanted) slots.try_emplace(at, anchor.candidate);
    }
  }
  for (const Anchor& anchor : anchors) {  // a position that another's expansion holds becomes an anchor
    if (const auto slot = slots.find(anchor.index); slot != slots.end()) slot->second = anchor.candidate;
  }
  for (std::int64_t at = 0; slots.size() < wanted; ++at) slots.try_emplace(at, -1);
  return slots;
}

}  // namespace

Status select_hits(const SelectHits& args, Stream) {
  for (std::int32_t head = 0; head < args.heads; ++head) {
    const std::int64_t first = static_cast<std::int64_t>(head) * args.summaries * args.row_stride;
    const auto slots = slots_of(args, best_anchors(args, args.scores + first, args.indices + first));
    std::int64_t out = static_cast<std::int64_t>(head) * args.length;
    for (const auto& [position, origin] : slots) {
      args.positions[out] = position;
      args.origins[out++] = origin;
    }
  }
  return 0;
}

}  // namespace carryover::kernels::reference
