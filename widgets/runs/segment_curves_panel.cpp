// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/segment_curves_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/segment_cursor.h"

namespace carryover {

SegmentCurvesPanel::SegmentCurvesPanel(LabContext& lab, const QString& title, QWidget* parent)
    : Panel(lab, title, parent) {
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  const auto restart = [this] {
    drawn_ = -1;
    request_refresh();
  };
  connect(&lab.run(), &RunModel::reset, this, restart);
  connect(&lab, &LabContext::range_changed, this, restart);
}

void SegmentCurvesPanel::place(WrappingBar* bar, Across across) {
  const RunModel& run = context().run();
  if (across == Across::Segments)
    cursor_ = new SegmentCursor(
        context(), plots(), [](int segment) { return segment; },
        [](double x) { return static_cast<int>(std::lround(x)); }, this);
  else
    cursor_ = new SegmentCursor(
        context(), plots(), [&run](int segment) { return static_cast<double>(run.tokens_after(segment)); },
        [&run](double x) { return run.segment_of_token(std::llround(x) - 1); }, this);
  bar->addWidget(cursor_, 1);
  bar->addWidget(sync_toggle());
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  for (PlotView* plot : plots()) row->addWidget(plot, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addLayout(row, 1);
}

void SegmentCurvesPanel::refresh() {
  const bool begins = drawn_ < 0;
  if (begins) {
    drawn_ = 0;
    start();
  }
  const RunModel& run = context().run();
  const int first = drawn_;
  for (; drawn_ < run.segment_count(); ++drawn_) {
    count(run.record(drawn_));
    if (context().range().contains(drawn_)) append(run.record(drawn_));
  }
  cursor_->update_cursor();
  if (begins || drawn_ > first)  // the cursor draws itself
    for (PlotView* plot : plots()) plot->request_replot();
}

}  // namespace carryover
