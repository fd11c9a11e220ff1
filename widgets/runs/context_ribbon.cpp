// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/context_ribbon.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/cost/policy_table.h"
#include "widgets/look/colour_mix.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"
#include "widgets/runs/state/sink_text.h"

namespace carryover {
namespace {

constexpr int edge = 6;
constexpr double least_pitch = 14, largest_pitch = 84;
constexpr std::size_t most_arcs = 64;
constexpr std::size_t most_named = 20;  ///< segments, to a screen reader

}  // namespace

RibbonStrip::RibbonStrip(LabContext& context, QWidget* parent) : QAbstractScrollArea(parent), context_(context) {
  setAccessibleName(tr("Segments"));
  describe_all();
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  viewport()->setMouseTracking(true);
  RunModel& run = context.run();
  connect(&run, &RunModel::reset, this, &RibbonStrip::reset);
  connect(&run, &RunModel::segments_appended, this, &RibbonStrip::append);
  connect(&run, &RunModel::progressed, viewport(), qOverload<>(&QWidget::update));
  connect(&run, &RunModel::ended, viewport(), qOverload<>(&QWidget::update));
  connect(&context, &LabContext::selection_changed, this, &RibbonStrip::show_selected);
  for (const auto signal : {&LabContext::hover_changed, &LabContext::pinned_changed, &LabContext::range_changed})
    connect(&context, signal, viewport(), qOverload<>(&QWidget::update));
  connect(&context, &LabContext::pinned_run_changed, this, &RibbonStrip::compare);
}

QSize RibbonStrip::sizeHint() const {
  const int bar = horizontalScrollBar()->maximum() > 0 ? horizontalScrollBar()->sizeHint().height() : 0;
  return {400, arcs_height + cell_height + brace_height + 4 + bar};
}

void RibbonStrip::reset() {
  values_.clear();
  lost_.clear();
  describe_all();
  Q_EMIT scale_changed();
  update_range();
  horizontalScrollBar()->setValue(0);
  viewport()->update();
}

void RibbonStrip::append(int first, int last) {
  for (int segment = first; segment <= last; ++segment) {
    values_.append(context_.run().digest(segment));
    if (has_lost_sink(segment)) lost_.push_back(segment);
  }
  if (context_.comparison()) values_.compare(context_.comparison(), first);
  describe_all();
  Q_EMIT scale_changed();
  update_range();
  viewport()->update();
}

void RibbonStrip::compare() {
  values_.compare(context_.comparison(), 0);
  Q_EMIT scale_changed();
  viewport()->update();
}

int RibbonStrip::segments() const {
  const RunModel& run = context_.run();
  return run.is_empty() ? 0 : std::max(run.expected_segments(), run.segment_count());
}

double RibbonStrip::pitch() const {
  return std::clamp((viewport()->width() - 2.0 * edge) / std::max(1, segments()), least_pitch, largest_pitch);
}

void RibbonStrip::update_range() {
  const int content = static_cast<int>(std::ceil(segments() * pitch())) + 2 * edge;
  horizontalScrollBar()->setPageStep(viewport()->width());
  horizontalScrollBar()->setSingleStep(static_cast<int>(pitch()));
  horizontalScrollBar()->setRange(0, std::max(0, content - viewport()->width()));
  updateGeometry();
}

void RibbonStrip::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  update_range();
}

QRect RibbonStrip::cell_rect(int segment) const {
  const double gap = pitch() >= 30 ? 12 : pitch() >= 18 ? 6 : 2;
  const double x = edge + segment * pitch() - horizontalScrollBar()->value();
  return QRectF(x, arcs_height, pitch() - gap, cell_height).toRect();
}

int RibbonStrip::segment_at(QPoint position) const {
  const double x = position.x() - edge + horizontalScrollBar()->value();
  const int segment = static_cast<int>(std::floor(x / pitch()));
  return segment >= 0 && segment < segments() ? segment : -1;
}

void RibbonStrip::set_value(Value value) {
  values_.choose(value);
  Q_EMIT scale_changed();
  viewport()->update();
}

void RibbonStrip::show_selected() {
  const int segment = context_.selected().segment;
  if (segment >= 0) {
    const int x = static_cast<int>(edge + segment * pitch());
    auto* bar = horizontalScrollBar();
    if (x < bar->value() + edge) bar->setValue(x - viewport()->width() / 4);
    if (x + pitch() > bar->value() + viewport()->width()) bar->setValue(x - viewport()->width() * 3 / 4);
  }
  viewport()->update();
}

void RibbonStrip::paint_cell(QPainter& painter, int segment) const {
  const Theme& theme = current_theme();
  const QRect cell = cell_rect(segment);
  const bool closed = segment < values_.count();
  QColor fill = blend(theme.surface, theme.background, 0.4);
  QColor ink = theme.muted;
  if (const QColor colour = closed ? values_.colour(segment) : QColor(); colour.isValid()) {
    fill = colour;
    ink = ink_on(fill);
  }
  painter.setPen(QPen(theme.grid, 1));
  painter.setBrush(fill);
  painter.drawRect(cell.adjusted(0, 0, -1, -1));
  const RunModel& run = context_.run();
  const std::int64_t begin = segment * run.request().config.segment_length;
  if (!closed && run.tokens_done() > begin) {
    const double share = std::min(
        1.0, static_cast<double>(run.tokens_done() - begin) / static_cast<double>(run.request().config.segment_length));
    painter.fillRect(QRectF(cell.left(), cell.bottom() - 3, cell.width() * share, 3), theme.accent);
  }
  const QString label = QString::number(segment);
  if (painter.fontMetrics().horizontalAdvance(label) + 2 <= cell.width()) {
    painter.setPen(ink);
    painter.drawText(cell, Qt::AlignCenter, label);
  }
  if (segment == context_.pinned().segment) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.text, 2, Qt::DotLine));
    painter.drawRect(cell.adjusted(1, 1, -2, -2));
  }
  const bool selected = segment == context_.selected().segment;
  if (!selected && segment != context_.hovered().segment) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.accent, selected ? 3 : 1));
  painter.drawRect(cell.adjusted(-1, -1, 0, 0));
}

/// A triangle in the corner of a segment that lost its attention sink, with a rim that no colour of a cell hides.
void RibbonStrip::paint_badge(QPainter& painter, int segment) const {
  if (!has_lost_sink(segment)) return;
  const Theme& theme = current_theme();
  const QRect cell = cell_rect(segment);
  const double size = std::min(9.0, cell.width() * 0.6), right = cell.right() + 1, top = cell.top();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(theme.background, 1.5));
  painter.setBrush(theme.anchor);
  painter.drawPolygon(QPolygonF({{right - size, top}, {right, top}, {right, top + size}}));
  painter.setRenderHint(QPainter::Antialiasing, false);
}

/// The tail that this segment got from the one before.
void RibbonStrip::paint_carry(QPainter& painter, int segment) const {
  const Theme& theme = current_theme();
  const RunModel& run = context_.run();
  if (segment == 0 || segment > run.segment_count() || pitch() < 18 || run.request().config.carry_length == 0 ||
      runs_in_chunks(run.request().policy))
    return;
  const double from = cell_rect(segment - 1).right() + 1, to = cell_rect(segment).left() - 1;
  const double y = arcs_height + cell_height / 2.0;
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(theme.carry, 1.6));
  painter.drawLine(QPointF(from, y), QPointF(to - 2, y));
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.carry);
  painter.drawPolygon(QPolygonF({{to, y}, {to - 4, y - 3.5}, {to - 4, y + 3.5}}));
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void RibbonStrip::paint_arcs(QPainter& painter) const {
  RunModel& run = context_.run();
  const int reader = context_.selected().segment;
  if (reader < 0 || reader >= run.segment_count()) return;
  std::map<int, int> by_source;
  for (const auto& [position, heads] : run.hit_counts(reader)) by_source[run.segment_of_token(position)] += heads;
  std::vector<std::pair<int, int>> sources;  // count, segment
  for (const auto& [segment, count] : by_source) sources.emplace_back(count, segment);
  std::sort(sources.rbegin(), sources.rend());
  if (sources.size() > most_arcs) sources.resize(most_arcs);
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setBrush(Qt::NoBrush);
  const double width = viewport()->width();
  // Arcs that end off screen are cut short: a long text's arcs would be a million pixels wide, and cost as much.
  const auto foot = [&](int segment) {
    return QPointF(std::clamp<double>(cell_rect(segment).center().x(), -width, 2 * width), arcs_height - 1);
  };
  const QPointF to = foot(reader);
  std::set<double> feet;  ///< the arcs that end off screen on one side share a foot
  for (const auto& [count, segment] : sources) {
    const double share = static_cast<double>(count) / sources.front().first;
    const QPointF from = foot(segment);
    if (!feet.insert(from.x()).second || std::max(from.x(), to.x()) < 0 || std::min(from.x(), to.x()) > width) continue;
    QColor colour = current_theme().anchor;
    colour.setAlphaF(static_cast<float>(0.3 + 0.6 * share));
    painter.setPen(QPen(colour, 1));
    const double distance = std::abs(reader - segment) / static_cast<double>(std::max(1, segments()));
    const double height = std::min<double>(arcs_height * 1.25, 10 + arcs_height * 1.6 * distance);
    QPainterPath path(from);
    path.cubicTo(from - QPointF(0, height), to - QPointF(0, height), to);
    // Lines side by side: Qt draws one of 1 px twenty times as fast as a wider one.
    for (long line = 0; line < std::lround(1 + 2.5 * share); ++line)
      painter.drawPath(path.translated(0, static_cast<double>(line)));
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void RibbonStrip::paint_brace(QPainter& painter) const {
  const int reader = context_.selected().segment;
  const auto depth = context_.run().request().config.truncation_depth;
  if (reader < 0 || depth == 0 || runs_in_chunks(context_.run().request().policy)) return;
  const int first = static_cast<int>(std::max<std::int64_t>(0, reader - depth));
  const int left = cell_rect(first).left(), right = cell_rect(reader).right();
  const int y = arcs_height + cell_height + 4;
  painter.setPen(QPen(current_theme().muted, 1));
  painter.drawLine(left, y, left, y + 4);
  painter.drawLine(left, y + 4, right, y + 4);
  painter.drawLine(right, y, right, y + 4);
  const QString label = tr("K = %1").arg(depth);
  const int width = painter.fontMetrics().horizontalAdvance(label);
  const int x = right + 6 + width <= viewport()->width() ? right + 6 : left - 6 - width;
  painter.drawText(QPointF(x, y + 8), label);
}

void RibbonStrip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), current_theme().background);
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * 0.85);
  painter.setFont(small);
  if (segments() == 0) {
    painter.setPen(current_theme().muted);
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Segments of the text appear here once it runs."));
    return;
  }
  const int first = std::max(0, segment_at({0, 0}));
  const int last =
      std::min(segments() - 1, static_cast<int>((horizontalScrollBar()->value() + viewport()->width()) / pitch()));
  paint_arcs(painter);
  for (int segment = first; segment <= last; ++segment) {
    paint_cell(painter, segment);
    paint_carry(painter, segment);
    paint_badge(painter, segment);
  }
  paint_brace(painter);
  paint_range(painter);
}

void RibbonStrip::keyPressEvent(QKeyEvent* event) {
  const int segment = context_.selected().segment;
  const int last = segments() - 1;
  const bool extend = event->modifiers() & Qt::ShiftModifier;
  switch (last < 0 ? Qt::Key_unknown : event->key()) {
    case Qt::Key_Left:
      if (extend) return extend_range(-1);
      return context_.select_segment(std::max(0, segment - 1));
    case Qt::Key_Right:
      if (extend) return extend_range(1);
      return context_.select_segment(std::min(last, segment + 1));
    case Qt::Key_Home:
      return context_.select_segment(0);
    case Qt::Key_End:
      return context_.select_segment(last);
    case Qt::Key_Escape:
      return context_.brush({});
    case Qt::Key_P:
      return toggle_pin(segment);
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

void RibbonStrip::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  const int distance = turned.x() != 0 ? turned.x() : turned.y();
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() - distance / 2);
}

bool RibbonStrip::has_lost_sink(int segment) const {
  return segment < values_.count() && context_.run().record(segment).has_lost_sink();
}

void RibbonStrip::describe_all() {
  QString text = tr("One cell per segment. Left and Right select, Home and End go to the ends.");
  if (!lost_.empty()) {
    QStringList named;
    for (std::size_t i = 0; i < std::min(lost_.size(), most_named); ++i) named += QString::number(lost_[i]);
    if (lost_.size() > most_named) named += QStringLiteral("…");
    text +=
        QLatin1Char(' ') + filled(tr("Attention sink lost in %1 of %2 segments: %3. Set Sinks to %4 and run again."),
                                  lost_.size(), values_.count(), named.join(QStringLiteral(", ")), kSinkTokens);
  }
  setAccessibleDescription(text);
}

QString RibbonStrip::describe(int segment) const {
  if (segment >= values_.count()) return tr("Segment %1: not run yet").arg(segment);
  const RibbonValues::Values& values = values_.of(segment);
  const SegmentRecord& record = context_.run().record(segment);
  QString text =
      filled(tr("Segment %1: tokens %2 to %3\nloss %4 nats, PPL %5\n%L6 hits, mean carried key norm %7\n%8 s, %9 "
                "near-ties at the "
                "cutoff"),
             segment, record.first_token, record.first_token + record.length - 1, decimal_text(values.loss, 3),
             decimal_text(std::exp(values.loss), 2), static_cast<qlonglong>(values.hits),
             decimal_text(values.carry_norm, 2), decimal_text(record.seconds, 2), record.near_ties);
  if (!std::isnan(values.loss_change))
    text += QLatin1Char('\n') + tr("Δ loss against the pinned run: %1 nats").arg(decimal_text(values.loss_change, 4));
  if (has_lost_sink(segment)) text += QLatin1Char('\n') + lost_sink_text(context_.run(), segment);
  return text;
}

bool RibbonStrip::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) context_.hover({});
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int segment = segment_at(help->pos());
  QToolTip::showText(help->globalPos(), segment >= 0 ? describe(segment) : QString(), viewport());
  return true;
}

ContextRibbon::ContextRibbon(LabContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      strip_(new RibbonStrip(context, this)),
      value_(new QComboBox(this)),
      scale_(new QLabel(this)),
      all_(new QToolButton(this)) {
  value_->addItems({tr("Loss, nats"), tr("PPL"), tr("Carry norm"), tr("Hits"), tr("Δ loss, A − B")});
  value_->setToolTip(tr("Quantity that the segments' colour shows"));
  value_->setAccessibleName(tr("Ribbon value"));
  scale_->setAlignment(Qt::AlignCenter);
  all_->setAutoRaise(true);
  all_->setToolTip(tr("Views show only these segments. Click to show all segments again (Esc in the ribbon)."));
  auto* side = new QVBoxLayout;
  side->setContentsMargins(6, 4, 2, 4);
  side->setSpacing(2);
  side->addWidget(value_);
  side->addWidget(scale_);
  side->addStretch(1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(side);
  layout->addWidget(strip_, 1);
  layout->addWidget(all_);
  connect(value_, &QComboBox::currentIndexChanged, strip_, [this](int index) {
    const auto value = static_cast<RibbonStrip::Value>(index);
    scale_->setToolTip(value == RibbonValue::LossChange
                           ? tr("From blue (this run predicts better) to orange (the pinned run B does)")
                           : tr("From purple to yellow"));
    strip_->set_value(value);
  });
  connect(strip_, &RibbonStrip::scale_changed, scale_, [this] {
    const bool needs_pin = value_->currentIndex() == static_cast<int>(RibbonValue::LossChange);
    const QString text = strip_->scale_text();
    scale_->setText(text.isEmpty() && needs_pin ? tr("no run pinned") : text);
  });
  connect(all_, &QToolButton::clicked, this, [this] { context_.brush({}); });
  connect(&context, &LabContext::range_changed, this, &ContextRibbon::show_range);
  show_range();
}

void ContextRibbon::show_range() {
  const SegmentRange& range = context_.range();
  all_->setVisible(range.is_set());
  all_->setText(filled(tr("%1 – %2  ✕"), range.first, range.last));
}

}  // namespace carryover
