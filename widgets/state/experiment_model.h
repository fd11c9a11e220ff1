// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/experiments/experiment_watch.h"
#include "widgets/state/folder_model.h"

namespace carryover {

/// What a cell has, as columns of a table and axes of a plot.
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

/// The cells of one experiment, as its folder says, and what goes on in it. Filled by the ExperimentController; views
/// read it. GUI thread.
class ExperimentModel : public NewsModel<ExperimentNews> {
  Q_OBJECT
 public:
  using NewsModel::NewsModel;

  const ExperimentState& state() const { return news().state; }
  int count() const { return static_cast<int>(state().cells.size()); }
  const CellState& cell(int row) const;
  int index_of(const QString& id) const;  ///< -1 where there is no such cell
  QString cell_folder(int row) const;

  /// Of the cells that are not done, as far as known.
  double expected_seconds_left() const;
  /// NaN where the cell has none, or the column no numbers. Loss in nats, progress and shares in [0, 1],
  /// memory in MB.
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
