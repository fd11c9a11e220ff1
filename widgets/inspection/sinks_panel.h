// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

class QComboBox;
class QLabel;

namespace carryover {

/// The attention sinks of the run's segments (runs/values/sinks.h): one quantity by layer and segment as a map, and
/// beside it the shown segment by layer, or the run by segment. Says which segments lost their sink.
class SinksPanel : public Panel {
  Q_OBJECT
 public:
  explicit SinksPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {map_, curves_}; }

 protected:
  void refresh() override;

 private:
  enum Quantity { AllMass, TextMass, CarryMass, SegmentMass, LargestMass, FirstRatio, LargestRatio };
  enum Across { Layers, Segments };
  static bool is_ratio(Quantity quantity) { return quantity == FirstRatio || quantity == LargestRatio; }
  Quantity quantity() const;
  Across across() const;
  /// Returns the quantity of one layer; NaN if the segment's sinks were not kept.
  double value(int segment, int layer, Quantity quantity);
  double of_segment(int segment, Quantity quantity);  ///< mean over layers, or the largest ratio
  std::vector<int> segments();                        ///< those shown that have been run
  std::vector<Quantity> drawn_quantities() const;     ///< of the curves: all masses, or both ratios

  void build_curves();
  void draw_map(const std::vector<int>& segments);
  void draw_curves(const std::vector<int>& segments);
  void show_nothing(const QString& why);
  void show_state(const std::vector<int>& segments);
  void follow_selection();
  void select_cell(double x, double y);
  void select_point(double x);
  void step(int columns, int rows);
  QString cell_text(double x, double y);

  QComboBox *quantity_, *across_;
  QLabel* state_;
  PlotView *map_, *curves_;
  std::vector<int> curve_of_;  ///< by Quantity
  int lost_ = -1;              ///< curve of points: segments that lost their sink
};

}  // namespace carryover
