// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/time_panel.h"

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {

TimePanel::TimePanel(LabContext& lab, QWidget* parent)
    : SegmentCurvesPanel(lab, tr("Time"), parent), plot_(new PlotView(QStringLiteral("time"), this)) {
  WrappingBar* bar = control_bar();
  place(bar, Across::Tokens);

  // In the order of kTimeParts.
  const std::array<QString, kTimeParts.size()> names{tr("projections"),    tr("local attention"), tr("long attention"),
                                                     tr("retrieval"),      tr("feed-forward"),    tr("logits"),
                                                     tr("everything else")};
  for (std::size_t part = 0; part < curves_.size(); ++part)
    curves_[part] = plot_->add_curve(names[part], {series_colour(part), false, true, true});
  plot_->set_axes(tr("Tokens read"), tr("Time (ms per token)"));
  plot_->set_integer_axes(true, false);
  plot_->set_title(tr("Time breakdown"));
}

void TimePanel::start() {
  const RunModel& run = context().run();
  plot_->clear_curves();
  plot_->set_empty_text(no_run_text(context().run()));
  if (!run.is_empty()) plot_->set_provenance(run_provenance(run));
}

void TimePanel::append(const SegmentRecord& record) {
  if (!record.time) {
    plot_->set_empty_text(tr("This run was recorded by a version that did not measure parts of the time"));
    return;
  }
  const auto tokens = static_cast<double>(record.first_token + record.length);
  for (std::size_t part = 0; part < curves_.size(); ++part)
    plot_->append(curves_[part], tokens,
                  1e3 * (*record.time).*kTimeParts[part].seconds / static_cast<double>(record.length));
}

}  // namespace carryover
