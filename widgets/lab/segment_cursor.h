// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>
#include <functional>
#include <vector>

#include "widgets/lab/linked_context.h"

namespace carryover {

class PlotView;

/// The one time cursor of all plots over segments: it stands at the segment under the pointer in whichever view, else
/// at the shown one; the pinned segment is a dashed line beside it. The label says the values there, and Δ to the
/// pinned segment. A click in a plot selects, the arrow keys step, P pins. GUI thread.
class SegmentCursor : public QLabel {
  Q_OBJECT
 public:
  /// `x_of`: where a segment stands in the plots; `segment_at`: which one a place in them means (-1: none).
  SegmentCursor(LinkedContext& context, std::vector<PlotView*> plots, std::function<double(int)> x_of,
                std::function<int(double)> segment_at, QWidget* parent);
  void update_cursor();  ///< after the plots' data have changed, too

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_text(const QString& text);  ///< as much as fits
  void connect_plot(PlotView* plot);
  int segment() const;  ///< where the cursor stands; -1: nowhere
  QString values_text(int segment) const;

  LinkedContext& context_;
  std::vector<PlotView*> plots_;
  std::function<double(int)> x_of_;
  std::function<int(double)> segment_at_;
  QString whole_;
};

}  // namespace carryover
