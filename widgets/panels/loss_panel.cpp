// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/loss_panel.h"

#include <QHBoxLayout>
#include <cmath>

#include "widgets/panels/panel_support.h"

namespace carryover {

LossPanel::LossPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Loss"), parent),
      nll_(make_plot(QStringLiteral("loss"), tr("Negative log-likelihood"), tr("NLL (nats per token)"), 0)),
      ppl_(make_plot(QStringLiteral("perplexity"), tr("Perplexity"), tr("Perplexity"), 2)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(nll_.plot, 1);
  layout->addWidget(ppl_.plot, 1);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, [this] {
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
  connect(plot, &PlotView::clicked, this, [this](double x, double /*y*/) {
    const auto clicked = static_cast<int>(std::lround(x));
    if (clicked >= 0 && clicked < this->context().run().segment_count()) this->context().select_segment(clicked);
  });
  connect(plot, &PlotView::stepped, this, [this](int columns, int /*rows*/) {
    const int next = shown_segment(this->context()) + columns;
    if (next >= 0 && next < this->context().run().segment_count()) this->context().select_segment(next);
  });
  connect(plot, &PlotView::hovered, this, [this](double x, double /*y*/) {
    this->context().hover({static_cast<int>(std::lround(x)), -1, -1, -1});
  });
  connect(plot, &PlotView::left, this, [this] { this->context().hover({}); });
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
  for (drawn_ = first; drawn_ < run.segment_count(); ++drawn_) append(run.record(drawn_));
  const int segment = shown_segment(context());
  for (PlotView* plot : plots()) {
    plot->set_cursor(segment < 0 ? NAN : segment);
    plot->request_replot();
  }
}

}  // namespace carryover
