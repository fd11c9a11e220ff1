// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_loss.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/compare/state/comparison_rows.h"
#include "widgets/lab/segment_cursor.h"
#include "widgets/look/gradients.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

/// The diverging scale's colour, so that curves and coloured text say the same.
ThemeColour side(double t) {
  return [t](const Theme& theme) { return diverging_colour(t, theme.kind == ThemeKind::Dark); };
}

}  // namespace

CompareLoss::CompareLoss(LinkedContext& lab, QWidget* parent)
    : ComparePage(lab, parent),
      by_segment_(new PlotView(QStringLiteral("compare_loss"), this)),
      by_token_(new PlotView(QStringLiteral("compare_loss_tokens"), this)) {
  by_segment_->set_title(tr("Loss of A − loss of B, by segment"));
  by_segment_->set_axes(tr("Segment"), tr("Δ (nats)"));
  by_segment_->set_integer_axes(true, false);
  worse_ = by_segment_->add_curve(tr("B predicts better"), {side(1), false, true});
  better_ = by_segment_->add_curve(tr("A predicts better"), {side(-1), false, true});
  running_ = by_segment_->add_curve(tr("cumulative"), {[](const Theme& theme) { return theme.text; }, true});
  by_token_->set_title(tr("Token by token"));
  by_token_->set_axes(tr("Position (token)"), tr("Δ (nats)"));
  by_token_->set_integer_axes(true, false);
  token_ = by_token_->add_curve(tr("Δ loss"), {series_colour(6)});
  cursor_ = new SegmentCursor(
      lab, {by_segment_}, [](int segment) { return segment; },
      [](double x) { return static_cast<int>(std::lround(x)); }, this);
  cursor_->setContentsMargins(6, 3, 6, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(cursor_);
  layout->addWidget(by_segment_, 3);
  layout->addWidget(by_token_, 2);
  connect(by_token_, &PlotView::clicked, this, [this](double x, double /*y*/) {
    const std::int64_t token = std::llround(x);
    if (token >= 0 && token < context().run().tokens_done()) context().select_token(token);
  });
}

void CompareLoss::restart() {
  drawn_ = -1;
}

// A segment is a bar from −½ to +½ around its number: a step of each side's curve, at zero where the other side has it.
void CompareLoss::append(int segment) {
  const LossChange& change = comparison().segment_loss_change(segment);
  if (const auto mean = change.mean()) {
    for (const double x : {segment - 0.5, segment + 0.5}) {
      by_segment_->append(worse_, x, std::max(0.0, *mean));
      by_segment_->append(better_, x, std::min(0.0, *mean));
    }
    by_segment_->append(running_, segment, *sum_.mean());
  }
  const SegmentRecord& record = comparison().a().record(segment);
  for (std::int64_t i = 1; i <= record.targets; ++i)
    if (const float value = comparison().loss_change(record.first_token + i); !std::isnan(value))
      by_token_->append(token_, static_cast<double>(record.first_token + i), static_cast<double>(value));
}

void CompareLoss::draw() {
  const int count = comparison().a().segment_count(), first = std::max(0, drawn_);
  if (drawn_ < 0) {
    sum_ = {};
    for (PlotView* plot : plots()) {
      plot->clear_curves();
      plot->set_provenance(comparison_provenance(comparison()));
      plot->fit();
    }
  }
  for (int segment = first; segment < count; ++segment) {
    sum_.add(comparison().segment_loss_change(segment));
    if (context().range().contains(segment)) append(segment);
  }
  drawn_ = count;
  for (PlotView* plot : plots()) {
    plot->set_empty_text(tr("No token is predicted by both runs: %1").arg(text_note(comparison())));
    plot->request_replot();
  }
  cursor_->update_cursor();
  const std::int64_t token = context().selected().token;
  by_token_->set_cursor(token >= 0 ? static_cast<double>(token) : NAN);
}

}  // namespace carryover
