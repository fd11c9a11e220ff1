// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/loss_panel.h"

#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {

LossPanel::LossPanel(LabContext& lab, QWidget* parent)
    : SegmentCurvesPanel(lab, tr("Loss"), parent), plot_(new PlotView(QStringLiteral("loss"), this)) {
  plot_->set_title(tr("Negative log-likelihood"));
  plot_->set_axes(tr("Segment"), tr("NLL (nats)"));
  plot_->set_second_axis(tr("PPL"), [](double nll) { return std::exp(nll); });
  plot_->set_integer_axes(true, false);
  segment_ = plot_->add_curve(tr("segment"), {series_colour(0)});
  mean_ = plot_->add_curve(tr("cumulative mean"), {series_colour(1)});
  WrappingBar* bar = control_bar();
  bar->setContentsMargins(6, 2, 6, 2);
  place(bar, Across::Segments);
}

void LossPanel::count(const SegmentRecord& record) {
  nll_sum_ += record.nll_sum;
  targets_ += static_cast<double>(record.targets);
}

void LossPanel::append(const SegmentRecord& record) {
  if (record.targets == 0) return plot_->set_empty_text(tr("A single token has no loss: no token follows it"));
  const auto x = static_cast<double>(record.index);
  plot_->append(segment_, x, record.nll_sum / static_cast<double>(record.targets));
  plot_->append(mean_, x, nll_sum_ / targets_);
}

void LossPanel::start() {
  nll_sum_ = targets_ = 0;
  plot_->clear_curves();
  plot_->set_empty_text(no_run_text(context().run()));
  plot_->set_provenance(run_provenance(context().run()));
  plot_->fit();
}

}  // namespace carryover
