// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/loss_panel.h"

#include <QHBoxLayout>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/state/provenance.h"

namespace carryover {

LossPanel::LossPanel(LabContext& lab, QWidget* parent)
    : SegmentCurvesPanel(lab, tr("Loss"), parent),
      nll_(make_plot(QStringLiteral("loss"), tr("Negative log-likelihood"), tr("NLL (nats per token)"), 0)),
      ppl_(make_plot(QStringLiteral("perplexity"), tr("Perplexity"), tr("Perplexity"), 2)) {
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 2, 6, 2);
  place(bar, Across::Segments);
}

LossPanel::Curves LossPanel::make_plot(const QString& id, const QString& title, const QString& y_label,
                                       std::size_t colour) {
  auto* plot = new PlotView(id, this);
  plot->set_title(title);
  plot->set_axes(tr("Segment"), y_label);
  plot->set_integer_axes(true, false);
  plot->set_empty_text(no_run_text());
  const int segment = plot->add_curve(tr("segment"), {series_colour(colour)});
  const int running = plot->add_curve(tr("cumulative mean"), {series_colour(colour + 1)});
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

void LossPanel::start() {
  nll_sum_ = targets_ = 0;
  for (PlotView* plot : plots()) {
    plot->clear_curves();
    plot->set_provenance(run_provenance(context().run()));
    plot->fit();
  }
}

}  // namespace carryover
