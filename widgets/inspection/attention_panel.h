// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

class QComboBox;
class QLabel;

namespace carryover {

/// The attention map of the selected head over [prefix; segment]. On the x axis the segment starts at 0 and the prefix
/// ends there, as the engine rotates them. GUI thread.
class AttentionPanel : public Panel {
  Q_OBJECT
 public:
  explicit AttentionPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void refresh() override;
  void unseen() override;

 private:
  HeadRef head_to_show();
  const AttentionMap* shown() const;
  void draw(const AttentionMap& map);
  void select_at(double x, double y);
  /// The absolute position of the key at x: the first one of its column; −1 outside.
  std::int64_t key_at(double x) const;
  QString text_at(double x, double y) const;

  LabContext& lab_;
  InspectionView view_;
  std::shared_ptr<const Inspection> answer_;
  QComboBox* scale_;
  QLabel* mass_;
  PlotView* plot_;
  int boundary_;  ///< curve
};

}  // namespace carryover
