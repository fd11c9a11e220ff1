// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/campaigns/experiments/experiment_watch.h"
#include "widgets/campaigns/state/folder_model.h"

namespace carryover {

/// The values of a cell: columns of a table and axes of a plot.
enum class CellColumn {
  Model,
  Recipe,
  Seed,
  Evaluation,
  Text,
  Status,
  Progress,
  Loss,
  Perplexity,
  Seconds,
  Expected,
  Segment,
  Carry,
  Retrieved,
  Sinks,
  Tokens,
  AttentionKv,
  PeakMemory,
  SinksLost
};
inline constexpr int cell_column_count = 19;

/// The cells of one experiment as its folder says, and the work that goes on in it. The ExperimentController fills it;
/// views read it. GUI thread.
class ExperimentModel : public NewsModel<ExperimentNews> {
  Q_OBJECT
 public:
  using NewsModel::NewsModel;

  const ExperimentState& state() const { return news().state; }
  int count() const { return static_cast<int>(state().cells.size()); }
  const CellState& cell(int row) const;
  int index_of(const QString& id) const;  ///< -1 where there is no such cell
  QString cell_folder(int row) const;

  /// Returns the seconds that the cells that are not done are expected to take, as far as they are known.
  double expected_seconds_left() const;
  /// Returns the loss in nats, progress and shares in [0, 1], memory in MB; NaN if the cell has no such value or the
  /// column no numbers.
  double number(int row, CellColumn column) const;
  QString text(int row, CellColumn column) const;  ///< for people
  static bool is_numeric(CellColumn column);
  static QString title(CellColumn column);       ///< of a column: short
  static QString axis_label(CellColumn column);  ///< with its unit

 private:
  const CellFigures* figures(int row) const;
};

QString cell_status_text(CellStatus status);  ///< for people

}  // namespace carryover
