// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/scores/sequence_matcher.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace carryover {

namespace {

struct MatchingBlock {
  std::size_t a = 0, b = 0, size = 0;
};

/// Parts of both texts whose blocks are wanted.
struct MatchingRegion {
  std::size_t a_first, a_last, b_first, b_last;
  bool empty() const { return a_first == a_last || b_first == b_last; }
};

class SequenceMatcher {
 public:
  SequenceMatcher(std::u32string_view a, std::u32string_view b)
      : a_(a), b_(b), length_(b.size() + 1), next_length_(b.size() + 1) {
    for (std::size_t j = 0; j < b.size(); ++j) places_[b[j]].push_back(j);
    if (b.size() < kFewestForJunk) return;
    const std::size_t most = b.size() / 100 + 1;
    std::erase_if(places_, [&](const auto& entry) { return entry.second.size() > most; });
  }

  std::size_t matching_characters() {
    std::size_t matching = 0;
    std::vector<MatchingRegion> open{{0, a_.size(), 0, b_.size()}};
    while (!open.empty()) {
      const MatchingRegion region = open.back();
      open.pop_back();
      if (region.empty()) continue;
      const MatchingBlock block = longest_block(region);
      if (block.size == 0) continue;
      matching += block.size;
      open.push_back({region.a_first, block.a, region.b_first, block.b});
      open.push_back({block.a + block.size, region.a_last, block.b + block.size, region.b_last});
    }
    return matching;
  }

 private:
  static constexpr std::size_t kFewestForJunk = 200;

  MatchingBlock longest_block(const MatchingRegion& region) {
    MatchingBlock best{region.a_first, region.b_first, 0};
    for (std::size_t i = region.a_first; i < region.a_last; ++i) {
      const auto found = places_.find(a_[i]);
      if (found != places_.end()) extend_lengths(i, found->second, region, best);
      for (const std::size_t j : set_) length_[j + 1] = 0;
      set_.swap(next_set_);
      next_set_.clear();
      length_.swap(next_length_);
    }
    for (const std::size_t j : set_) length_[j + 1] = 0;
    set_.clear();
    grow(best, region);
    return best;
  }

  /// Computes the lengths of the blocks that end with a[i] and each b[j] from those that end one character before.
  void extend_lengths(std::size_t i, const std::vector<std::size_t>& places, const MatchingRegion& region,
                      MatchingBlock& best) {
    for (auto j = std::lower_bound(places.begin(), places.end(), region.b_first); j != places.end(); ++j) {
      if (*j >= region.b_last) break;
      const std::size_t size = length_[*j] + 1;
      next_length_[*j + 1] = size;
      next_set_.push_back(*j);
      if (size > best.size) best = {i + 1 - size, *j + 1 - size, size};
    }
  }

  /// Extends a block over frequent characters, for which no places are stored.
  void grow(MatchingBlock& block, const MatchingRegion& region) const {
    while (block.a > region.a_first && block.b > region.b_first && a_[block.a - 1] == b_[block.b - 1]) {
      --block.a;
      --block.b;
      ++block.size;
    }
    while (block.a + block.size < region.a_last && block.b + block.size < region.b_last &&
           a_[block.a + block.size] == b_[block.b + block.size])
      ++block.size;
  }

  std::u32string_view a_, b_;
  std::unordered_map<char32_t, std::vector<std::size_t>> places_;  ///< of b's characters, ascending
  std::vector<std::size_t> length_, next_length_;  ///< at j + 1: of the block that ends with b[j]; else 0
  std::vector<std::size_t> set_, next_set_;        ///< indices whose lengths are not 0
};

}  // namespace

double sequence_ratio(std::u32string_view a, std::u32string_view b) {
  const std::size_t all = a.size() + b.size();
  if (all == 0) return 1;
  return 2.0 * static_cast<double>(SequenceMatcher(a, b).matching_characters()) / static_cast<double>(all);
}

}  // namespace carryover
