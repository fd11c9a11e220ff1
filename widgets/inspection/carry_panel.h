// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

class QComboBox;

namespace carryover {

/// The tail C_i that a segment leaves (eq:forward), and the windows of windowed layers: ‖K‖, ‖V‖ or drift, layers ×
/// carried tokens. The colours keep one range over all segments of the run, so that segments compare. Or, layers ×
/// heads, the attention that the segment spends on what it was given: its carry or its retrieved prefix.
class CarryPanel : public Panel {
  Q_OBJECT
 public:
  explicit CarryPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void refresh() override;
  void unseen() override;

 private:
  enum Quantity { KeyNorm, ValueNorm, Drift, PrefixMass };
  struct Range {
    double low = 0, high = 0;
  };
  const Map& map_of(int segment, int quantity);
  void widen_ranges();
  void follow_selection(int segment);
  void draw_masses(int segment);
  void show_nothing(const QString& why);
  void select_at(double x, double y);
  QString text_at(double x, double y);
  QString mass_text(int segment, int layer, int head);

  InspectionView view_;
  std::shared_ptr<const Inspection> answer_;  ///< with the masses of the shown segment
  PlotView* plot_;
  QComboBox* quantity_;
  std::array<Range, 3> ranges_{};
  int measured_ = 0;  ///< segments that ranges_ knows
};

}  // namespace carryover
