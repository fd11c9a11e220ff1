// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/heads/choice/head_scores.h"
#include "widgets/heads/proposals_table.h"
#include "widgets/lab/linked_context.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

/// Scores of all heads, layers × heads, with the heads outlined that retrieve under some groupings. A click or the
/// arrow keys select a head. GUI thread.
class HeadScoreMap : public PlotView {
  Q_OBJECT
 public:
  HeadScoreMap(LinkedContext& context, QWidget* parent);

  void show_nothing(const QString& why);
  void show_scores(const HeadScores& scores, const QString& name, const QString& measure, const QString& provenance);
  /// `chosen` may be null.
  void show_groupings(const Proposal& current, const Proposal& proposed, const Proposal* chosen);
  void show_selection();

 private:
  bool holds(std::int64_t layer, std::int64_t head) const;
  int rank(int layer, int head) const;
  void select(std::int64_t layer, std::int64_t head);
  QString text_at(double x, double y) const;
  QString rows() const;

  LinkedContext& context_;
  HeadScores scores_;
  std::vector<int> ranks_;  ///< by cell; 0 is the best
  Grouping current_, proposed_;
  int current_outline_, proposed_outline_, chosen_outline_;
};

}  // namespace carryover
