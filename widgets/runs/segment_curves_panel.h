// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

class QHBoxLayout;

namespace carryover {

class WrappingBar;

class SegmentCursor;

/// A panel whose plots gain points with every segment of the run, under the one time cursor: from nothing where a run
/// begins or the range changes, and on from there.
class SegmentCurvesPanel : public Panel {
  Q_OBJECT
 protected:
  enum class Across { Segments, Tokens };  ///< of the plots' x axes: a segment's index, or the tokens read after it

  SegmentCurvesPanel(LabContext& context, const QString& title, QWidget* parent);
  /// Lays the panel out: `bar` with the cursor's values at its end, below it the plots() side by side.
  void place(WrappingBar* bar, Across across);
  void refresh() final;

  virtual void start() = 0;  ///< empties the plots for the run that is there now, or for none
  virtual void count(const SegmentRecord& /*record*/) {}  ///< each, before append(); also outside the range on show
  virtual void append(const SegmentRecord& record) = 0;

 private:
  SegmentCursor* cursor_ = nullptr;
  int drawn_ = -1;  ///< segments drawn; -1: the run has begun again
};

}  // namespace carryover
