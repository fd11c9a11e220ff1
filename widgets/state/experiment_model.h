// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <memory>

#include "engine/experiments/experiment_watch.h"

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
class ExperimentModel : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// What the window itself does with the experiment, in a process of its own.
  enum class Work { None, Running, Stopping };

  const QString& folder() const { return folder_; }  ///< empty: none is open
  bool has_state() const { return news_ != nullptr; }
  const ExperimentState& state() const;
  int count() const { return news_ == nullptr ? 0 : static_cast<int>(state().cells.size()); }
  const CellState& cell(int row) const;
  int index_of(const QString& id) const;  ///< -1 where there is no such cell
  QString cell_folder(int row) const;
  /// What is wrong with the folder; empty: nothing. What was read of it before stays.
  const QString& problem() const { return problem_; }
  Work work() const { return work_; }
  const QString& said() const { return said_; }  ///< by the process, last

  /// Of the cells that are not done, as far as known.
  double expected_seconds_left() const;
  /// NaN where the cell has none, or the column no numbers. Loss in nats, progress and shares in [0, 1],
  /// memory in MB.
  double number(int row, CellColumn column) const;
  QString text(int row, CellColumn column) const;  ///< for people
  static bool is_numeric(CellColumn column);
  static QString title(CellColumn column);       ///< of a column: short
  static QString axis_label(CellColumn column);  ///< with its unit

  void open(const QString& folder);  ///< another one, of which nothing is known yet
  void take(const std::shared_ptr<const ExperimentNews>& news);
  void set_problem(const QString& problem);
  void set_work(Work work, const QString& said);

 Q_SIGNALS:
  void opened();
  void cells_changed();  ///< any of them, their number too
  void changed();        ///< anything

 private:
  const CellFigures* figures(int row) const;

  QString folder_, problem_, said_;
  std::shared_ptr<const ExperimentNews> news_;
  Work work_ = Work::None;
};

QString cell_status_text(CellStatus status);  ///< for people

}  // namespace carryover
