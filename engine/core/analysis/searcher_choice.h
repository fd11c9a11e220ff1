// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/core/analysis/recall_heads.h"

namespace carryover {

/// One question's search by every head of a model.
struct SearchTrial {
  bool held_out = false;
  std::int64_t entries = 0;           ///< that are searched
  std::int64_t first = 0, count = 0;  ///< of the answer's tokens among them
  std::vector<float> scores;          ///< [L, H, entries]: z-scores over the entries
};

/// Who searches: the heads whose scores, added up, have the answers in their windows (RetrieveBy::Windows). Chosen one
/// by one: the head that finds most, then the one that finds most together with those before. Of heads that find alike
/// the one with the lowest mean log rank of the answer's best window is taken, then the first. A plain object; any
/// thread.
class SearcherChoice {
 public:
  /// `config`: window_length and retrieval_length are what matters.
  SearcherChoice(const ModelConfig& model, const SegmentConfig& config);

  void add(SearchTrial trial);
  bool empty() const { return trials_.empty(); }

  HeadScores found_alone() const;  ///< by each head, of the trials that are not held out
  /// The next searcher beside `chosen`; none where no head makes them better.
  std::optional<SearcherStep> next(const HeadScores& alone, const std::vector<SearcherStep>& chosen) const;

 private:
  struct Sums;
  SearcherStep judge(HeadRef added, const std::vector<std::vector<double>>& sums) const;
  std::vector<std::vector<double>> sums_of(const std::vector<SearcherStep>& chosen) const;
  std::vector<HeadRef> candidates(const HeadScores& alone, const std::vector<SearcherStep>& chosen) const;
  std::span<const float> row(const SearchTrial& trial, HeadRef head) const;

  std::int64_t layers_, heads_, window_, length_;
  std::vector<SearchTrial> trials_;
};

}  // namespace carryover
