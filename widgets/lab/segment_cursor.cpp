// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/segment_cursor.h"

#include <QAction>
#include <cmath>

#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

SegmentCursor::SegmentCursor(LinkedContext& context, std::vector<PlotView*> plots, std::function<double(int)> x_of,
                             std::function<int(double)> segment_at, QWidget* parent)
    : QLabel(parent),
      context_(context),
      plots_(std::move(plots)),
      x_of_(std::move(x_of)),
      segment_at_(std::move(segment_at)) {
  setAccessibleName(tr("Values at the cursor"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long text never widens the window
  for (PlotView* plot : plots_) connect_plot(plot);
  connect(&context.lab(), &LabContext::hover_changed, this, &SegmentCursor::update_cursor);
  connect(&context.lab(), &LabContext::pinned_changed, this, &SegmentCursor::update_cursor);
}

void SegmentCursor::connect_plot(PlotView* plot) {
  const auto existing = [this](int segment) { return segment >= 0 && segment < context_.run().segment_count(); };
  connect(plot, &PlotView::clicked, this, [this, existing](double x, double /*y*/) {
    if (existing(segment_at_(x))) context_.select_segment(segment_at_(x));
  });
  connect(plot, &PlotView::stepped, this, [this, existing](int columns, int /*rows*/) {
    const int next = shown_segment(context_) + columns;
    if (columns != 0 && existing(next)) context_.select_segment(next);
  });
  connect(plot, &PlotView::hovered, this, [this, existing](double x, double /*y*/) {
    context_.hover({existing(segment_at_(x)) ? segment_at_(x) : -1, -1, -1, -1});
    update_cursor();
  });
  connect(plot, &PlotView::left, this, [this] {
    context_.hover({});
    update_cursor();
  });
  auto* pin = new QAction(tr("&Pin this segment as reference"), plot);
  pin->setShortcut(QKeySequence(Qt::Key_P));
  pin->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(pin, &QAction::triggered, this, [this] {
    const int segment = shown_segment(context_);
    Selection pinned = context_.pinned();
    pinned.segment = pinned.segment == segment ? -1 : segment;
    context_.lab().pin(pinned);
  });
  plot->addAction(pin);
}

int SegmentCursor::segment() const {
  const int hovered = context_.hovered().segment;
  return hovered >= 0 && hovered < context_.run().segment_count() ? hovered : shown_segment(context_);
}

QString SegmentCursor::values_text(int segment) const {
  QStringList parts;
  for (const PlotView* plot : plots_) {
    if (plot->is_empty()) continue;
    const QString values = plot->values_at(x_of_(segment)).replace(QLatin1Char('\n'), QStringLiteral(", "));
    if (values.isEmpty()) continue;
    const QString unit = plot->y_unit();
    parts += plots_.size() > 1 ? QStringLiteral("%1: %2").arg(plot->accessibleName(), values)
             : unit.isEmpty()  ? values
                               : tr("in %1: %2").arg(unit, values);
  }
  QString text = parts.isEmpty() ? tr("segment %1").arg(segment)
                                 : filled(tr("segment %1 · %2"), segment, parts.join(QStringLiteral(" · ")));
  if (context_.pinned().segment >= 0) text += tr(" · Δ to segment %1").arg(context_.pinned().segment);
  return text;
}

void SegmentCursor::update_cursor() {
  const int at = segment(), pinned = context_.pinned().segment;
  const bool has_reference = pinned >= 0 && pinned < context_.run().segment_count();
  for (PlotView* plot : plots_) {
    plot->set_reference(has_reference ? x_of_(pinned) : NAN);
    plot->set_cursor(at < 0 ? NAN : x_of_(at));
  }
  show_text(at < 0 ? QString() : values_text(at));
}

void SegmentCursor::show_text(const QString& text) {
  whole_ = text;
  setText(fontMetrics().elidedText(text, Qt::ElideRight, width()));
  setToolTip(text.isEmpty() ? text : text + QLatin1Char('\n') + tr("P pins or unpins a segment as reference"));
}

void SegmentCursor::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  show_text(whole_);
}

}  // namespace carryover
