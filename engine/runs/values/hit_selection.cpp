// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/hit_selection.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/base/error.h"

namespace carryover {
namespace {

bool ranks_before(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.index < b.index;
}

/// Returns the A best of the union, best first: each index once, with the (first) summary that scored it best.
std::vector<Candidate> best_anchors(std::span<const Candidate> candidates, std::int64_t count, std::int64_t pool_size) {
  std::vector<Candidate> ranked(candidates.begin(), candidates.end());
  for (const Candidate& candidate : ranked) {
    CARRYOVER_CHECK(candidate.index >= 0 && candidate.index < pool_size && !std::isnan(candidate.score));
  }
  std::sort(ranked.begin(), ranked.end(), [](const Candidate& a, const Candidate& b) {
    if (a.index != b.index) return a.index < b.index;
    return a.score != b.score ? a.score > b.score : a.summary < b.summary;
  });
  const auto same_index = [](const Candidate& a, const Candidate& b) { return a.index == b.index; };
  ranked.erase(std::unique(ranked.begin(), ranked.end(), same_index), ranked.end());
  std::sort(ranked.begin(), ranked.end(), ranks_before);
  if (static_cast<std::int64_t>(ranked.size()) > count) ranked.resize(static_cast<std::size_t>(count));
  return ranked;
}

/// The slots that are filled so far. Anchors come best first, so the first anchor that claims a position is its best.
class HeldSlots {
 public:
  explicit HeldSlots(std::int64_t wanted) : wanted_(static_cast<std::size_t>(wanted)) { hits_.reserve(wanted_); }

  bool full() const { return hits_.size() == wanted_; }

  void add(const Hit& hit) {
    if (full() || !slot_of_.try_emplace(hit.position, hits_.size()).second) return;
    hits_.push_back(hit);
  }

  /// Makes a slot that another anchor's expansion already holds an anchor.
  void promote(const Hit& anchor) {
    if (const auto found = slot_of_.find(anchor.position); found != slot_of_.end()) hits_[found->second] = anchor;
  }

  std::vector<Hit> ascending() && {
    std::sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) { return a.position < b.position; });
    return std::move(hits_);
  }

 private:
  std::size_t wanted_;
  std::vector<Hit> hits_;
  std::unordered_map<std::int64_t, std::size_t> slot_of_;
};

bool is_banned(const SelectionRule& rule, std::int64_t position) {
  return std::any_of(rule.banned.begin(), rule.banned.end(),
                     [position](const TokenRange& range) { return range.contains(position); });
}

std::int64_t allowed_positions(const SelectionRule& rule, std::int64_t pool_size) {
  if (rule.banned.empty()) return pool_size;
  std::int64_t allowed = 0;
  for (std::int64_t position = 0; position < pool_size; ++position) allowed += !is_banned(rule, position);
  return allowed;
}

void expand(const Candidate& anchor, const SelectionRule& rule, std::int64_t pool_size, HeldSlots& held) {
  const std::int64_t last = std::min(anchor.index + rule.expand_after, pool_size - 1);
  for (std::int64_t position = std::max<std::int64_t>(0, anchor.index - rule.expand_before); position <= last;
       ++position) {
    if (!is_banned(rule, position)) held.add({position, HitKind::Expanded, anchor.score, anchor.index, anchor.summary});
  }
}

}  // namespace

std::vector<Hit> select_hits(std::span<const Candidate> candidates, const SelectionRule& rule, std::int64_t pool_size) {
  HeldSlots held(std::min(rule.length, allowed_positions(rule, pool_size)));
  const std::vector<Candidate> anchors = best_anchors(candidates, rule.anchors, pool_size);
  for (const Candidate& anchor : anchors) expand(anchor, rule, pool_size, held);
  for (const Candidate& anchor : anchors) {
    held.promote({anchor.index, HitKind::Anchor, anchor.score, anchor.index, anchor.summary});
  }
  for (std::int64_t position = 0; !held.full(); ++position)
    if (!is_banned(rule, position)) held.add({.position = position});
  return std::move(held).ascending();
}

}  // namespace carryover
