// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/time_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/panels/panel_support.h"
#include "widgets/segment_cursor.h"

namespace carryover {

TimePanel::TimePanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Time"), parent), plot_(new PlotView(QStringLiteral("time"), this)) {
  cursor_ = new SegmentCursor(
      context(), {plot_}, [this](int segment) { return static_cast<double>(context().run().tokens_after(segment)); },
      [this](double x) { return context().run().segment_of_token(std::llround(x) - 1); }, this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 4, 6, 4);
  bar->addWidget(cursor_, 1);
  bar->addWidget(sync_toggle());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(plot_, 1);

  // In the order of kTimeParts.
  const std::array<QString, kTimeParts.size()> names{tr("projections"),  tr("local attention"), tr("long attention"),
                                                     tr("retrieval"),    tr("feed-forward"),    tr("logits"),
                                                     tr("everything else")};
  for (std::size_t part = 0; part < curves_.size(); ++part)
    curves_[part] = plot_->add_curve(names[part], {series_colour(part), false, true, true});
  plot_->set_axes(tr("Tokens read"), tr("Time (ms a token)"));
  plot_->set_integer_axes(true, false);
  plot_->set_title(tr("Time by part"));

  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  const auto restart = [this] {
    drawn_ = -1;
    request_refresh();
  };
  connect(&lab.run(), &RunModel::reset, this, restart);
  connect(&lab, &LabContext::range_changed, this, restart);
}

void TimePanel::start() {
  const RunModel& run = context().run();
  plot_->clear_curves();
  drawn_ = 0;
  plot_->set_empty_text(no_run_text());
  if (!run.is_empty()) plot_->set_provenance(run_provenance(run));
}

void TimePanel::append(const SegmentRecord& record) {
  if (!record.time) {
    plot_->set_empty_text(tr("This run was kept before its time was divided"));
    return;
  }
  const auto tokens = static_cast<double>(record.first_token + record.length);
  for (std::size_t part = 0; part < curves_.size(); ++part)
    plot_->append(curves_[part], tokens,
                  1e3 * (*record.time).*kTimeParts[part].seconds / static_cast<double>(record.length));
}

void TimePanel::refresh() {
  const bool begins = drawn_ < 0;
  if (begins) start();
  const RunModel& run = context().run();
  const int first = drawn_;
  for (; drawn_ < run.segment_count(); ++drawn_)
    if (context().range().contains(drawn_)) append(run.record(drawn_));
  cursor_->update_cursor();
  if (begins || drawn_ > first) plot_->request_replot();
}

}  // namespace carryover
