// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/loss_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/panels/panel_support.h"
#include "widgets/segment_cursor.h"

namespace carryover {

LossPanel::LossPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Loss"), parent),
      nll_(make_plot(QStringLiteral("loss"), tr("Negative log-likelihood"), tr("NLL (nats per token)"), 0)),
      ppl_(make_plot(QStringLiteral("perplexity"), tr("Perplexity"), tr("Perplexity"), 2)) {
  cursor_ = new SegmentCursor(
      context(), plots(), [](int segment) { return segment; },
      [](double x) { return static_cast<int>(std::lround(x)); }, this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 2, 6, 2);
  bar->addWidget(cursor_, 1);
  bar->addWidget(sync_toggle());
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(nll_.plot, 1);
  row->addWidget(ppl_.plot, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addLayout(row, 1);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, [this] {
    drawn_ = -1;
    request_refresh();
  });
  connect(&lab, &LabContext::range_changed, this, [this] {
    drawn_ = -1;
    request_refresh();
  });
}

LossPanel::Curves LossPanel::make_plot(const QString& id, const QString& title, const QString& y_label,
                                       std::size_t colour) {
  auto* plot = new PlotView(id, this);
  plot->set_title(title);
  plot->set_axes(tr("Segment"), y_label);
  plot->set_integer_axes(true, false);
  plot->set_empty_text(no_run_text());
  const int segment = plot->add_curve(tr("segment"), {series_colour(colour)});
  const int running = plot->add_curve(tr("running, all targets so far"), {series_colour(colour + 1)});
  return {plot, segment, running};
}

void LossPanel::append(const SegmentRecord& record) {
  if (record.targets == 0) return;  // the last segment of one token predicts nothing
  nll_sum_ += record.nll_sum;
  targets_ += static_cast<double>(record.targets);
  const auto x = static_cast<double>(record.index);
  const double mean = record.nll_sum / static_cast<double>(record.targets), running = nll_sum_ / targets_;
  nll_.plot->append(nll_.segment, x, mean);
  nll_.plot->append(nll_.running, x, running);
  ppl_.plot->append(ppl_.segment, x, std::exp(mean));
  ppl_.plot->append(ppl_.running, x, std::exp(running));
}

void LossPanel::refresh() {
  const RunModel& run = context().run();
  const bool begins = drawn_ < 0;
  if (begins) {
    drawn_ = 0;
    nll_sum_ = targets_ = 0;
  }
  const int first = drawn_;
  for (PlotView* plot : plots())
    if (begins) {
      plot->clear_curves();
      plot->set_provenance(run_provenance(run));
      plot->fit();
    }
  for (drawn_ = first; drawn_ < run.segment_count(); ++drawn_)
    if (context().range().contains(drawn_)) append(run.record(drawn_));
  cursor_->update_cursor();
  if (begins || drawn_ > first)  // the cursor draws itself
    for (PlotView* plot : plots()) plot->request_replot();
}

}  // namespace carryover
