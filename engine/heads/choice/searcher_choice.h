// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/heads/choice/recall_heads.h"

namespace carryover {

/// The search for one question by every head of a model.
struct SearchTrial {
  bool held_out = false;
  std::int64_t entries = 0;           ///< number of searched entries
  std::int64_t first = 0, count = 0;  ///< range of the answer's tokens among them
  std::vector<float> scores;          ///< [global layers, H, entries]: z-scores over the entries
};

/// Chooses the heads that search: heads whose summed scores have the answers in their windows (RetrieveBy::Windows).
/// They are chosen one by one: first the head that finds most, then the one that finds most together with those before.
/// Of heads that find equally many, the one with the lowest mean log rank of the answer's best window is taken, then
/// the first. A plain object; any thread.
class SearcherChoice {
 public:
  /// Only window_length and retrieval_length of `config` are used.
  SearcherChoice(const ModelConfig& model, const SegmentConfig& config);

  void add(SearchTrial trial);
  bool empty() const { return trials_.empty(); }

  HeadScores found_alone() const;  ///< share for each head, over trials that are not held out
  /// Returns the next searcher to add to `chosen`, or nothing if no head improves them.
  std::optional<SearcherStep> next(const HeadScores& alone, const std::vector<SearcherStep>& chosen) const;

 private:
  struct Sums;
  SearcherStep judge(HeadRef added, const std::vector<std::vector<double>>& sums) const;
  std::vector<std::vector<double>> sums_of(const std::vector<SearcherStep>& chosen) const;
  std::vector<HeadRef> candidates(const HeadScores& alone, const std::vector<SearcherStep>& chosen) const;
  std::span<const float> row(const SearchTrial& trial, HeadRef head) const;

  std::int64_t layers_, heads_, window_, length_;
  std::vector<int> searching_;  ///< layers whose heads search, ascending: the model's global ones
  std::vector<SearchTrial> trials_;
};

}  // namespace carryover
