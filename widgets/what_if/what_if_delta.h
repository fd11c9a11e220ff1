// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/plot/plot_view.h"
#include "widgets/what_if/hit_changes_table.h"

class QLabel;
class QTableView;

namespace carryover {

class LabContext;

/// The effect of the shown what-if: mean change of the loss with its interval, the change token by token, and the hits
/// that came and went. GUI thread.
class WhatIfDelta : public QWidget {
  Q_OBJECT
 public:
  explicit WhatIfDelta(LabContext& context, QWidget* parent = nullptr);
  PlotView* plot() const { return plot_; }
  QString headline() const;

  void refresh();

 private:
  void draw(const struct WhatIfResult& result);
  void select_token(double x);
  QString text_at(double x) const;

  LabContext& context_;
  QLabel* headline_;
  PlotView* plot_;
  int raw_, smooth_, zero_;  ///< curves
  HitChangesTable changes_;
  QLabel* changes_title_;
  QTableView* table_;
};

}  // namespace carryover
