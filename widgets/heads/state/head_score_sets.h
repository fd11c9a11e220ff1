// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <optional>
#include <vector>

#include "engine/heads/choice/head_scores.h"

namespace carryover {

/// Scores of all heads from one source: a profile, one kind of its probes, or a file.
struct HeadScoreSet {
  QString name;
  QString provenance;                ///< what a figure of it carries
  HeadScores attention;              ///< of a file: what it holds, whatever that measures
  std::optional<HeadScores> copies;  ///< profiles know it too

  const HeadScores& of(HeadMeasure measure) const {
    return measure == HeadMeasure::Copies && copies ? *copies : attention;
  }
  bool imported() const { return !copies.has_value(); }
};

/// The sets that head discovery has: those of the newest profile, then files, all of one model. GUI thread.
class HeadScoreSets {
 public:
  /// Replaces the profile before by this one: its mean, if it has more than one kind, and each kind.
  void set_profile(const HeadProfile& profile, const QString& provenance);
  std::size_t add_file(const QString& path, const HeadScores& scores);  ///< its index; in place of the same file's
  void clear() { sets_.clear(); }

  bool empty() const { return sets_.empty(); }
  std::size_t size() const { return sets_.size(); }
  const HeadScoreSet& at(std::size_t index) const { return sets_.at(index); }
  std::optional<std::size_t> first_file() const;

 private:
  std::vector<HeadScoreSet> sets_;
};

}  // namespace carryover
