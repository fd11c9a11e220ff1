// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "widgets/inspection/why_tables.h"
#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/tables/share_bars.h"

class QLabel;
class QTableView;

namespace carryover {

/// Why the selected token was predicted: the likeliest tokens with and without each part of the prefixes, the logit
/// lens by layer, and the heads, neurons and positions that change its logit most. GUI thread.
class WhyPanel : public Panel {
  Q_OBJECT
 public:
  explicit WhyPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {lens_plot_}; }

 protected:
  void refresh() override;
  void unseen() override;

 private:
  QTableView* add_table(QAbstractItemModel& model, const QString& name);
  void build_layout();
  void connect_rows();
  void offer_what_ifs();
  void offer(QTableView* table, const QString& text, const std::function<void(int row, int column)>& action);
  void run_without(const SegmentEdit& edit);
  void clear(const QString& why);
  void show_parts(const Inspection& seen);
  void show_ablations();
  void draw_lens(const LogitLens& lens);
  QString summary(const Inspection& seen) const;
  QString lens_csv() const;

  LabContext& lab_;
  InspectionView view_, ablations_view_;
  std::shared_ptr<const Inspection> answer_, ablations_;
  class FoilField* foil_;
  QLabel *says_, *ablations_say_;
  LikelyTable likely_;
  LensTable lens_;
  LogitShareTable parts_, sources_;
  ShareBars probabilities_, part_bars_, source_bars_;
  QTableView *likely_view_, *lens_view_, *parts_view_, *sources_view_;
  PlotView* lens_plot_;
  int residual_, carry_, against_;  ///< curves
};

}  // namespace carryover
