// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QToolTip>
#include <cmath>

#include "engine/base/error.h"
#include "widgets/look/form_memory.h"
#include "widgets/plot/export_dialog.h"
#include "widgets/plot/plot_scene.h"
#include "widgets/plot/plot_style.h"

namespace carryover {

ThemeColour series_colour(std::size_t index) {
  return [index](const Theme& theme) { return theme.series[index % theme.series.size()]; };
}

PlotView::PlotView(const QString& id, QWidget* parent) : QWidget(parent), d_(std::make_unique<PlotScene>(this)) {
  d_->id = id;
  d_->style(current_theme());
  setFocusPolicy(Qt::StrongFocus);
  setFocusProxy(nullptr);
  setMinimumSize(160, 90);
  name_for_readers();
  d_->plot->installEventFilter(this);
  auto* export_action = new QAction(tr("&Export figure or data…"), this);
  export_action->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
  connect(export_action, &QAction::triggered, this, &PlotView::open_export_dialog);
  auto* copy_action = new QAction(tr("&Copy picture"), this);
  copy_action->setShortcut(QKeySequence::Copy);
  connect(copy_action, &QAction::triggered, this, &PlotView::copy_image);
  auto* fit_action = new QAction(tr("&Show everything"), this);
  fit_action->setShortcut(QKeySequence(Qt::Key_Home));
  connect(fit_action, &QAction::triggered, this, &PlotView::fit);
  auto* data_action = new QAction(tr("Copy &data (CSV)"), this);
  data_action->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  connect(data_action, &QAction::triggered, this, [this] { QApplication::clipboard()->setText(csv()); });
  for (QAction* action : {export_action, copy_action, data_action, fit_action}) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
  }
  for (QCPAxis* axis : {d_->plot->xAxis, d_->plot->yAxis})
    connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this, axis](const QCPRange& range) {
      const QRectF& all = d_->fitted;
      if (axis == d_->plot->xAxis)
        d_->limit(axis, range, all.left(), all.right());
      else if (!d_->log_y)
        d_->limit(axis, range, all.top(), all.bottom());
      if (axis == d_->plot->yAxis) d_->choose_y_ticker();
      Q_EMIT view_changed();
    });
  connect(d_->plot, &QCustomPlot::afterReplot, this, [this] {
    if (map_pixels() == d_->pixels) return;
    d_->pixels = map_pixels();
    const int ticks = d_->y_ticker->tickCount();
    d_->set_y_ticks(d_->pixels.height());
    const bool relabelled = d_->fit_labels(d_->plot->height());
    if (relabelled || d_->y_ticker->tickCount() != ticks) d_->plot->replot(QCustomPlot::rpQueuedReplot);
    Q_EMIT view_changed();
  });
}

PlotView::~PlotView() = default;

const QString& PlotView::id() const {
  return d_->id;
}

void PlotView::set_title(const QString& title) {
  d_->title = title;
  name_for_readers();
}

void PlotView::name_for_readers() {
  const QString unnamed =
      accessibleDescription().isEmpty() ? QString(d_->id).replace(u'_', u' ') : accessibleDescription();
  setAccessibleName(d_->title.isEmpty() ? unnamed : d_->title);
}

void PlotView::set_axes(const QString& x_label, const QString& y_label) {
  d_->x_label = x_label;
  d_->y_label = y_label;
  d_->plot->xAxis->setLabel(x_label);
  d_->plot->yAxis->setLabel(y_label);
  setAccessibleDescription(y_label.isEmpty() ? x_label : tr("%1 against %2").arg(y_label, x_label));
  name_for_readers();
}

void PlotView::set_second_axis(const QString& label, const std::function<double(double)>& value) {
  d_->second_label = label;
  d_->second_value = value;
  QCPAxis* right = d_->plot->yAxis2;
  d_->second_ticker = QSharedPointer<SecondTicker>::create(value);
  right->setTicker(d_->second_ticker);
  right->setLabel(label);
  right->setVisible(true);
  right->setRange(d_->plot->yAxis->range());
  connect(d_->plot->yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), right,
          qOverload<const QCPRange&>(&QCPAxis::setRange));
}

const QString& PlotView::y_label() const {
  return d_->y_label;
}

void PlotView::set_integer_axes(bool x, bool y) {
  d_->x_ticker->set_integer(x);
  d_->y_ticker->set_integer(y);
}

void PlotView::set_y_names(const std::vector<QString>& names) {
  d_->y_ticker->set_names(names);
}
void PlotView::set_x_names(const std::vector<QString>& names) {
  d_->x_ticker->set_names(names);
}
void PlotView::set_y_reversed(bool reversed) {
  d_->plot->yAxis->setRangeReversed(reversed);
}

void PlotView::set_log_y(bool logarithmic) {
  d_->log_y = logarithmic;
  d_->curves->set_stacking(!logarithmic);
  d_->plot->yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  fit();
  d_->choose_y_ticker();
}

void PlotView::set_empty_text(const QString& text) {
  d_->empty->setText(text);
}
bool PlotView::is_empty() const {
  return !d_->curves->has_data() && !d_->map->has_data();
}

int PlotView::add_curve(const QString& name, const CurveStyle& style) {
  return d_->curves->add(name, style);
}
void PlotView::append(int curve, double x, double y) {
  d_->curves->append(curve, x, y);
}

void PlotView::append(int curve, const std::vector<double>& x, const std::vector<double>& y) {
  CARRYOVER_CHECK(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) d_->curves->append(curve, x[i], y[i]);
}

void PlotView::clear_curve(int curve) {
  d_->curves->clear(curve);
}

void PlotView::clear_curves() {
  for (int i = 0; i < d_->curves->count(); ++i) d_->curves->clear(i);
}

void PlotView::set_curve_visible(int curve, bool visible) {
  d_->curves->set_visible(curve, visible);
}
void PlotView::set_curve_name(int curve, const QString& name) {
  d_->curves->set_name(curve, name);
}
bool PlotView::following() const {
  return d_->following;
}
std::vector<std::pair<double, double>> PlotView::drawn_points(int curve) const {
  return d_->curves->drawn(curve);
}

void PlotView::set_map(const Map& map, double x0, double x1, double y0, double y1, const QString& value_label,
                       Gradient gradient) {
  d_->map->set(map, QRectF(QPointF(x0, y0), QPointF(x1, y1)), value_label, gradient);
}

void PlotView::clear_map() {
  d_->map->clear();
}
void PlotView::set_value_range(double low, double high) {
  d_->map->set_value_range(low, high);
}

void PlotView::set_categories(const std::vector<std::pair<QString, ThemeColour>>& categories) {
  d_->map->set_categories(categories);
}

int PlotView::add_outline(const OutlineStyle& style) {
  return d_->outlines->add(style);
}
void PlotView::set_outline(int outline, const QString& name, const std::vector<QPointF>& centres) {
  d_->outlines->set(outline, name, centres);
}

QColor PlotView::map_colour(double x, double y) const {
  return d_->map->colour_at(x, y);
}

void PlotView::set_cursor(double x) {
  d_->cursor.set({x, 0}, {x, 1}, !std::isnan(x));
  d_->cursor_layer->replot();
}

void PlotView::set_row_cursor(double y) {
  d_->row_cursor.set({0, y}, {1, y}, !std::isnan(y));
  d_->cursor_layer->replot();
}

void PlotView::set_reference(double x) {
  d_->reference_x = x;
  d_->reference.set({x, 0}, {x, 1}, !std::isnan(x));
  d_->cursor_layer->replot();
}

QString PlotView::values_at(double x) const {
  return d_->curves->text_at(x, d_->reference_x, d_->second_label, d_->second_value);
}

QString PlotView::y_unit() const {
  return unit_of(d_->y_label);
}

void PlotView::set_extent(const QRectF& extent) {
  d_->extent = extent;
}

void PlotView::set_x_range(double low, double high) {
  d_->least_x = {low, high};
}
void PlotView::set_y_range(double low, double high) {
  d_->least_y = {low, high};
}

void PlotView::fit() {
  d_->following = true;
  request_replot();
}

void PlotView::zoom_to(double x0, double x1, double y0, double y1) {
  d_->following = false;
  d_->plot->xAxis->setRange(x0, x1);
  d_->plot->yAxis->setRange(y0, y1);
  request_replot();
}

QRectF PlotView::view() const {
  const QCPRange x = d_->plot->xAxis->range(), y = d_->plot->yAxis->range();
  return QRectF(QPointF(x.lower, y.lower), QPointF(x.upper, y.upper));
}

QSize PlotView::map_pixels() const {
  return d_->plot->axisRect()->size();
}

void PlotView::request_replot() {
  d_->pages->setCurrentWidget(is_empty() ? static_cast<QWidget*>(d_->empty) : d_->plot);
  d_->arrange(d_->plot->width(), d_->plot->height());
  if (d_->following) d_->apply_fit();
  d_->plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::set_hover_text(std::function<QString(double, double)> text) {
  d_->hover_text = std::move(text);
}
void PlotView::set_provenance(const QString& text) {
  d_->provenance = text;
}

const QString& PlotView::provenance() const {
  return d_->provenance;
}
void PlotView::set_remake(std::function<QStringList()> command) {
  d_->remake = std::move(command);
}
void PlotView::set_csv_source(std::function<QString()> csv) {
  d_->csv_source = std::move(csv);
}

QString PlotView::csv() const {
  if (d_->csv_source) return d_->csv_source();
  return d_->map->has_data() ? d_->map->csv(d_->x_label, d_->y_label) : d_->curves->csv(d_->x_label);
}

void PlotView::open_export_dialog() {
  auto* dialog = new ExportDialog(*this);
  FormMemory::keep(*dialog, QStringLiteral("export ") + id());
  dialog->open();
}
void PlotView::copy_image() {
  QApplication::clipboard()->setPixmap(grab());
}

void PlotView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  d_->style(current_theme());
  request_replot();
}

// Zooms by the wheel's steps, about the middle; `shift` is in shares of what is seen.
void PlotView::move_view(double zoom, double shift) {
  if (is_empty()) return;
  const QRectF seen = view();
  const double width = seen.width() / zoom, middle = seen.center().x() + shift * seen.width();
  zoom_to(middle - width / 2, middle + width / 2, seen.top(), seen.bottom());
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  switch (event->key()) {
    case Qt::Key_Plus:
      return move_view(1.25, 0);
    case Qt::Key_Minus:
      return move_view(0.8, 0);
    case Qt::Key_Left:
      if (shift) return move_view(1, -0.1);
      return Q_EMIT stepped(-1, 0);
    case Qt::Key_Right:
      if (shift) return move_view(1, 0.1);
      return Q_EMIT stepped(1, 0);
    case Qt::Key_Up:
      return Q_EMIT stepped(0, -1);
    case Qt::Key_Down:
      return Q_EMIT stepped(0, 1);
    default:
      QWidget::keyPressEvent(event);
  }
}

void PlotView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addActions(actions());
  for (QAction* action : menu.actions()) action->setEnabled(!is_empty());
  menu.exec(event->globalPos());
  for (QAction* action : actions()) action->setEnabled(true);
}

// The plot's own signals come too early or too late to tell a click from a drag, so its events are watched.
bool PlotView::eventFilter(QObject* watched, QEvent* event) {
  QCustomPlot* plot = d_->plot;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  const auto coordinates = [&] {
    return QPointF(plot->xAxis->pixelToCoord(mouse->position().x()), plot->yAxis->pixelToCoord(mouse->position().y()));
  };
  const auto inside = [&] { return plot->axisRect()->rect().contains(mouse->pos()); };
  const auto moved = [&] {
    return (mouse->pos() - d_->pressed).manhattanLength() >= QApplication::startDragDistance();
  };
  switch (event->type()) {
    case QEvent::Resize:
      request_replot();
      break;
    case QEvent::Leave:
      Q_EMIT left();
      break;
    case QEvent::ContextMenu:  // QCustomPlot lets nothing of the mouse through to its parent
      contextMenuEvent(static_cast<QContextMenuEvent*>(event));
      return true;
    case QEvent::MouseButtonPress:
      setFocus(Qt::MouseFocusReason);
      d_->pressed = mouse->pos();
      break;
    case QEvent::MouseButtonRelease:
      if (mouse->button() == Qt::LeftButton && inside() && !moved())
        Q_EMIT clicked(coordinates().x(), coordinates().y());
      break;
    case QEvent::MouseButtonDblClick:
      fit();
      break;
    case QEvent::MouseMove:
      if (mouse->buttons() & Qt::LeftButton) {
        if (moved()) d_->following = false;
      } else if (inside()) {
        const QPointF at = coordinates();
        QToolTip::showText(mouse->globalPosition().toPoint(), d_->text_at(at.x(), at.y()), plot);
        Q_EMIT hovered(at.x(), at.y());
      }
      break;
    case QEvent::Wheel: {
      d_->following = false;
      const bool shift = static_cast<QWheelEvent*>(event)->modifiers() & Qt::ShiftModifier;
      plot->axisRect()->setRangeZoom(shift ? Qt::Vertical : Qt::Horizontal);
      break;
    }
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace carryover
