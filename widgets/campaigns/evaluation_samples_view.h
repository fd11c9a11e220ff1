// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <memory>
#include <vector>

#include "widgets/campaigns/evaluation_samples_table.h"
#include "widgets/campaigns/state/evaluation_model.h"

class QLabel;
class QTableView;
class QToolButton;

namespace carryover {

class RunModel;

/// The samples of one cell of an evaluation, and what was retrieved for the one that was opened. GUI thread.
class EvaluationSamplesView : public QWidget {
  Q_OBJECT
 public:
  explicit EvaluationSamplesView(QWidget* parent = nullptr);
  QTableView& table() { return *view_; }
  bool wants_references() const;
  QString needle_said() const;  ///< empty while the run of the sample that was opened is not on show

  /// Shows the samples of a cell; null: there is no such cell.
  void show_cell(const std::shared_ptr<const ScoreCell>& cell, const std::vector<std::string>& references);
  void show_needle(const RunModel& run, const OpenedSample& sample);

 Q_SIGNALS:
  void sample_wanted(int sample);  ///< of the cell, as a run
  void references_toggled();

 private:
  void open_current();

  EvaluationSamplesTable samples_;
  EvaluationSamplesFilter filter_;
  QTableView* view_;
  QLabel *said_, *needle_;
  QToolButton* references_;
};

}  // namespace carryover
