// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <set>
#include <vector>

#include "widgets/compare/comparison_table.h"
#include "widgets/lab/panel.h"

class QLabel;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QToolButton;

namespace carryover {

class ComparePage;

/// The current run (A) beside a pinned one (B): results and the settings that differ, hits of one minus hits of the
/// other, their overlap, and the difference of their losses. Only the page in front is kept up to date; the others
/// catch up when they are shown, or exported.
class ComparePanel : public Panel {
  Q_OBJECT
 public:
  explicit ComparePanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

 protected:
  void refresh() override;

 private:
  QWidget* build_bar();
  QWidget* build_table();
  QWidget* build_invitation();
  void add_page(ComparePage* page, const QString& title);
  void restart();
  void draw(ComparePage* page);
  void update_bar();

  ComparisonTable table_;
  QStackedWidget* pages_;  ///< the invitation to pin a run, or the tabs
  QTabWidget* tabs_;
  QTableView* view_;
  std::vector<QLabel*> names_;  ///< of A, of B
  QLabel* note_;
  QToolButton *pin_, *unpin_;
  std::vector<ComparePage*> plots_;
  std::set<ComparePage*> restarted_;  ///< pages that must start again before they are drawn
};

}  // namespace carryover
