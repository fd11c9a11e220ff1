// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

class QComboBox;
class QLabel;
class QSpinBox;

namespace carryover {

/// The values of one point of the forward pass in the selected segment: a heatmap of tokens and values, their
/// distribution, and their size. Columns are in their own order, or those with the largest values at the selected token
/// come first. GUI thread.
class TensorsPanel : public Panel {
  Q_OBJECT
 public:
  explicit TensorsPanel(LabContext& lab, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {map_, histogram_}; }

 protected:
  void refresh() override;
  void unseen() override;

 private:
  PointRef place() const;
  bool is_too_large(int segment) const;
  void clear(const QString& why);
  void draw(const Map& values);
  void draw_histogram(const Map& values);
  void order_columns(const Map& values);
  std::int64_t selected_row(std::int64_t rows);
  QString size_text(const Map& values);
  QString python();  ///< the code that gets the same values
  QString text_at(double x, double y) const;

  LabContext& lab_;
  InspectionView view_;
  QSpinBox* layer_;
  QComboBox *point_, *order_;
  QLabel* says_;
  PlotView *map_, *histogram_;
  int curve_;
  int segment_ = -1;
  std::shared_ptr<const Inspection> answer_;
  std::vector<std::int64_t> columns_;  ///< the column of the values that each column of the heatmap shows
};

}  // namespace carryover
