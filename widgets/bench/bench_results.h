// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <vector>

#include "widgets/bench/bench_plots.h"
#include "widgets/bench/bench_table.h"
#include "widgets/tables/number_sort.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QTableView;

namespace carryover {

/// The results of a bench: machine and programs, a table, what is missing and why, and two plots. GUI thread.
class BenchResults : public QWidget {
  Q_OBJECT
 public:
  explicit BenchResults(QWidget* parent = nullptr);

  /// Shows a report. `folder` holds its bench.json, for the commands that figures carry; empty: there is none.
  void show_report(const BenchReport& report, const QString& folder);
  const std::vector<PlotView*>& plots() const { return plots_; }  ///< time, then memory; made again when they change
  QTableView& table() { return *view_; }
  QString said() const;  ///< machine, programs and gaps as text

 private:
  void build_plot_bar();
  void draw();

  BenchReport report_;
  QString folder_;
  BenchTable rows_;
  NumberSort sorted_;
  QLabel* where_;
  QTableView* view_;
  QPlainTextEdit* gaps_;
  QComboBox *kind_, *across_;
  QHBoxLayout* plot_bar_;
  QHBoxLayout* plot_row_;
  std::vector<PlotView*> plots_;
};

}  // namespace carryover
