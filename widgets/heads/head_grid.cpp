// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/head_grid.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/policies/minference/minference_settings.h"
#include "widgets/heads/pattern_dialog.h"
#include "widgets/heads/state/pattern_text.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/form_memory.h"
#include "widgets/look/theme.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/what_if/patching.h"

namespace carryover {
namespace {

constexpr int header_height = 18;
constexpr double least_cell = 9.0, least_height = 7.5, largest_cell = 26.0;

/// Local: a small dot. Long elsewhere: a hollow square. Long in a long-range layer: a filled diamond. In a windowed
/// layer, whatever the grouping says: a short line.
void paint_glyph(QPainter& painter, HeadRole role, const QRectF& cell) {
  const Theme& theme = current_theme();
  const double size = std::min(cell.width(), cell.height());
  const QPointF centre = cell.center();
  if (role == HeadRole::Windowed) {
    painter.setPen(QPen(theme.local, 1.6));
    painter.drawLine(QPointF(centre.x() - size * 0.2, centre.y()), QPointF(centre.x() + size * 0.2, centre.y()));
  } else if (role == HeadRole::Local) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.local);
    painter.drawEllipse(centre, size * 0.13, size * 0.13);
  } else if (role == HeadRole::LongRange) {
    painter.setPen(QPen(theme.long_range, 1.6));
    painter.setBrush(Qt::NoBrush);
    const double half = size * 0.25;
    painter.drawRect(QRectF(centre.x() - half, centre.y() - half, 2 * half, 2 * half));
  } else {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.retrieving);
    const double half = size * 0.4;
    painter.drawPolygon(QPolygonF({{centre.x(), centre.y() - half},
                                   {centre.x() + half, centre.y()},
                                   {centre.x(), centre.y() + half},
                                   {centre.x() - half, centre.y()}}));
  }
}

/// A searcher: the cell's upper right corner is filled.
void paint_searcher(QPainter& painter, const QRectF& cell) {
  const double size = std::min(cell.width(), cell.height()) * 0.42;
  painter.setPen(Qt::NoPen);
  painter.setBrush(current_theme().anchor);
  const QPointF corner = cell.topRight();
  painter.drawPolygon(QPolygonF({corner, {corner.x() - size, corner.y()}, {corner.x(), corner.y() + size}}));
}

}  // namespace

HeadRole head_role(const Grouping& grouping, int layer, int head) {
  if (!grouping.is_long(layer, head)) return HeadRole::Local;
  return grouping.is_long_layer(layer) ? HeadRole::Retrieving : HeadRole::LongRange;
}

HeadGrid::HeadGrid(LabContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setAccessibleName(tr("Heads by layer"));
  setAccessibleDescription(
      tr("Arrows move, Space toggles the head, L toggles the layer, S makes the head search for all readers."));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  measure_labels();
  connect(&context, &LabContext::config_changed, this, qOverload<>(&QWidget::update));
  connect(&context, &LabContext::selection_changed, this, qOverload<>(&QWidget::update));
  connect(&context, &LabContext::hover_changed, this, qOverload<>(&QWidget::update));
  connect(&context, &LabContext::model_changed, this, [this] {
    press_.reset();  // a drag under way was over the heads of the model before
    drag_.reset();
    updateGeometry();
    update();
  });
}

void HeadGrid::set_editing(bool editing) {
  editing_ = editing;
  setCursor(editing ? Qt::CrossCursor : Qt::ArrowCursor);
}

int HeadGrid::layers() const {
  return context_.model() ? static_cast<int>(context_.model()->layers) : 0;
}
int HeadGrid::heads() const {
  return context_.model() ? static_cast<int>(context_.model()->heads) : 0;
}

// Labels take a fixed column left; cells share the rest and stay readable and near square.
double HeadGrid::cell_width() const {
  return std::clamp((width() - label_width_ - 2.0) / std::max(1, heads()), least_cell, largest_cell);
}

double HeadGrid::cell_height() const {
  return std::clamp((height() - header_height - 2.0) / std::max(1, layers()), least_height, largest_cell);
}

QSize HeadGrid::sizeHint() const {
  return {label_width_ + heads() * 18, header_height + layers() * 15 + 2};
}

QSize HeadGrid::minimumSizeHint() const {
  return {label_width_ + static_cast<int>(heads() * least_cell) + 2,
          header_height + static_cast<int>(layers() * least_height) + 2};
}

QRect HeadGrid::cell_rect(int layer, int head) const {
  const double y = header_height + layer * cell_height();
  if (head < 0) return QRectF(0, y, label_width_, cell_height()).toRect();
  return QRectF(label_width_ + head * cell_width(), y, cell_width(), cell_height()).toRect();
}

std::optional<HeadGrid::Cell> HeadGrid::cell_at(QPoint position) const {
  if (position.y() < header_height || position.x() < 0) return std::nullopt;
  const int layer = static_cast<int>((position.y() - header_height) / cell_height());
  const int head = position.x() < label_width_ ? -1 : static_cast<int>((position.x() - label_width_) / cell_width());
  if (layer >= layers() || head >= heads()) return std::nullopt;
  return Cell{layer, head};
}

QRect HeadGrid::band() const {
  if (!press_ || !drag_) return {};
  return QRect(QPoint(std::min(press_->head, drag_->head), std::min(press_->layer, drag_->layer)),
               QPoint(std::max(press_->head, drag_->head), std::max(press_->layer, drag_->layer)));
}

void HeadGrid::toggle_layer(int layer) {
  if (refuses_windowed(layer)) return;
  SegmentConfig config = context_.config();
  const bool now_long = !config.grouping.is_long_layer(layer);
  config.grouping.set_long_layer(layer, now_long);
  context_.edit_config(
      config, now_long ? tr("make layer %1 long-range").arg(layer) : tr("make layer %1 not long-range").arg(layer));
}

/// Returns true, and says why, if the layer sees nothing but the model's own window.
bool HeadGrid::refuses_windowed(int layer) {
  if (!context_.model()->is_windowed(layer)) return false;
  context_.add_note(filled(tr("Layer %1 sees only the last %2 tokens, by the model's own window: it can't retrieve"),
                           layer, context_.model()->window));
  return true;
}

HeadRole HeadGrid::role(int layer, int head) const {
  if (context_.model()->is_windowed(layer)) return HeadRole::Windowed;
  return head_role(context_.config().grouping, layer, head);
}

bool HeadGrid::searches(HeadRef head) const {
  const SegmentConfig& config = context_.config();
  return config.search == SearchBy::Shared && std::ranges::count(config.search_heads, head) > 0;
}

/// The first searcher makes the search a shared one, and without the last one each head searches for itself again.
void HeadGrid::toggle_searcher(HeadRef head) {
  if (refuses_windowed(head.layer)) return;
  SegmentConfig config = context_.config();
  if (config.search != SearchBy::Shared) config.search_heads.clear();
  if (std::erase(config.search_heads, head) == 0) config.search_heads.push_back(head);
  std::ranges::sort(config.search_heads);
  config.search = config.search_heads.empty() ? SearchBy::PerHead : SearchBy::Shared;
  const QString name = filled(QStringLiteral("%1.%2"), head.layer, head.head);
  context_.edit_config(config,
                       searches(head) ? tr("search without head %1").arg(name) : tr("search with head %1").arg(name));
}

void HeadGrid::edit_heads(QRect cells) {
  SegmentConfig config = context_.config();
  const bool now_long = press_ ? !config.grouping.is_long(press_->layer, press_->head)
                               : !config.grouping.is_long(cells.top(), cells.left());
  for (int layer = cells.top(); layer <= cells.bottom(); ++layer)
    for (int head = cells.left(); head <= cells.right(); ++head)
      config.grouping.set_long(layer, head, now_long, layers());
  const QString kind = now_long ? tr("long-range") : tr("local");
  const int count = cells.width() * cells.height();
  context_.edit_config(config, count == 1 ? filled(tr("make head %1.%2 %3"), cells.top(), cells.left(), kind)
                                          : filled(tr("make %1 heads %2"), count, kind));
}

void HeadGrid::paint_labels(QPainter& painter) const {
  const Theme& theme = current_theme();
  QFont small = font();
  small.setPointSizeF(std::clamp(cell_height() * 0.55, 6.5, font().pointSizeF() * 0.9));
  painter.setFont(small);
  painter.setPen(theme.muted);
  const int step = heads() > 16 ? 4 : cell_width() < 14 ? 2 : 1;
  for (int head = 0; head < heads(); head += step) {
    QRect box = cell_rect(0, head);
    box.setRect(box.x() - 6, 0, box.width() + 12, header_height);
    painter.drawText(box, Qt::AlignCenter, QString::number(head));
  }
  paint_layer_labels(painter);
}

/// If rows are lower than digits, a number is drawn only where others leave it room, those of long-range layers first.
void HeadGrid::paint_layer_labels(QPainter& painter) const {
  const Theme& theme = current_theme();
  const int room = painter.fontMetrics().capHeight() + 3, step = cell_height() < 10 ? 5 : 1;
  std::vector<int> taken;
  for (const bool is_long : {true, false})
    for (int layer = 0; layer < layers(); ++layer) {
      if (context_.config().grouping.is_long_layer(layer) != is_long) continue;
      const QRect box = cell_rect(layer, -1).adjusted(0, -3, -5, 3);
      const int y = box.center().y();
      painter.setPen(is_long ? theme.retrieving : theme.muted);
      if (is_long) painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("▸"));
      if (!is_long && layer % step != 0) continue;
      if (std::ranges::any_of(taken, [&](int other) { return std::abs(other - y) < room; })) continue;
      painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, QString::number(layer));
      taken.push_back(y);
    }
}

void HeadGrid::paint_cell(QPainter& painter, int layer, int head) const {
  const Theme& theme = current_theme();
  const QRect box = cell_rect(layer, head);
  const bool in_band = editing_ && band().contains(head, layer);
  painter.setPen(QPen(theme.grid, 1));
  painter.setBrush(in_band ? theme.grid : theme.surface);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.drawRect(box);
  painter.setRenderHint(QPainter::Antialiasing, true);
  paint_glyph(painter, role(layer, head), box);
  if (searches({layer, head})) paint_searcher(painter, box);
}

void HeadGrid::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (layers() == 0) {
    painter.setPen(current_theme().muted);
    painter.drawText(rect(), Qt::AlignCenter, tr("No model yet"));
    return;
  }
  paint_labels(painter);
  for (int layer = 0; layer < layers(); ++layer)
    for (int head = 0; head < heads(); ++head) paint_cell(painter, layer, head);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  const auto frame = [&](const Selection& selection, int pen_width) {
    if (selection.layer < 0 || selection.layer >= layers() || selection.head >= heads()) return;
    painter.setPen(QPen(current_theme().accent, pen_width));
    painter.drawRect(cell_rect(selection.layer, selection.head));
  };
  frame(context_.hovered(), 1);
  if (context_.selected().head >= 0) frame(context_.selected(), 2);
}

void HeadGrid::mousePressEvent(QMouseEvent* event) {
  const auto cell = cell_at(event->position().toPoint());
  if (event->button() != Qt::LeftButton || !cell) return;
  if (editing_ && cell->head >= 0 && event->modifiers().testFlag(Qt::ShiftModifier))
    return toggle_searcher({cell->layer, cell->head});
  press_ = drag_ = cell;
  if (cell->head < 0) return;
  if (!editing_) context_.select_head(cell->layer, cell->head);
  update();
}

/// The menu of the head under the pointer; by key, of the selected one.
void HeadGrid::contextMenuEvent(QContextMenuEvent* event) {
  const Selection& selected = context_.selected();
  const auto cell = event->reason() == QContextMenuEvent::Mouse ? cell_at(event->pos())
                                                                : std::optional(Cell{selected.layer, selected.head});
  if (!cell || cell->layer < 0 || cell->head < 0) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  offer_patch(*menu, filled(tr("Patch layer %1, head %2 from the pinned run"), cell->layer, cell->head), cell->layer,
              cell->head);
  offer_patch(*menu, tr("Patch all heads of layer %1 from the pinned run").arg(cell->layer), cell->layer, -1);
  if (has_patterns())
    menu->addAction(filled(tr("Pattern of layer %1, head %2…"), cell->layer, cell->head), this,
                    [this, head = HeadRef{cell->layer, cell->head}] { ask_pattern(head); });
  menu->popup(event->globalPos());
}

void HeadGrid::offer_patch(QMenu& menu, const QString& text, int layer, int head) {
  QAction* action = menu.addAction(text);
  const int segment = shown_segment(context_);
  SegmentEdit edit;
  if (segment >= 0) edit.patched_heads = heads_to_patch(context_.run().model().config, layer, head);
  const QString busy = context_.what_ifs().unavailable();
  const QString obstacle = segment < 0       ? tr("no segment has been run")
                           : !busy.isEmpty() ? busy
                                             : patch_obstacle(context_, segment, edit);
  action->setEnabled(obstacle.isEmpty());
  action->setToolTip(obstacle.isEmpty() ? tr("Runs segment %1 again with the outputs of B in that segment").arg(segment)
                                        : obstacle);
  connect(action, &QAction::triggered, this, [this, segment, edit] {
    context_.what_ifs().ask_run({segment, {edit}}, edit_text(edit, context_.run().request().config));
  });
}

bool HeadGrid::has_patterns() const {
  return context_.run_options().policy == kPatternPolicy;
}

void HeadGrid::ask_pattern(HeadRef head) {
  auto* dialog = new PatternDialog(context_.config().of<MinferenceSettings>().head_patterns.at(head.layer, head.head),
                                   filled(tr("Pattern of layer %1, head %2"), head.layer, head.head), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, head, dialog] { set_pattern(head, dialog->pattern()); });
  FormMemory::keep(*dialog, dialog->windowTitle());
  dialog->open();
}

void HeadGrid::set_pattern(HeadRef head, const HeadPattern& pattern) {
  if (head.layer >= layers() || head.head >= heads()) return;  // another model has come meanwhile
  SegmentConfig config = context_.config();
  if (config.of<MinferenceSettings>().head_patterns.at(head.layer, head.head) == pattern) return;
  config.of<MinferenceSettings>().head_patterns.set(head.layer, head.head, pattern);
  context_.edit_config(config, filled(tr("pattern of head %1.%2"), head.layer, head.head));
}

void HeadGrid::mouseMoveEvent(QMouseEvent* event) {
  const auto cell = cell_at(event->position().toPoint());
  if (press_ && cell && cell->head >= 0) drag_ = cell;
  Selection hovered;
  if (cell && cell->head >= 0) {
    hovered.layer = cell->layer;
    hovered.head = cell->head;
  }
  context_.hover(hovered);
  if (press_) update();
}

void HeadGrid::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !press_) return;
  if (editing_ && press_->head < 0 && cell_at(event->position().toPoint()) == press_) toggle_layer(press_->layer);
  if (editing_ && press_->head >= 0) edit_heads(band());
  press_.reset();
  drag_.reset();
  update();
}

void HeadGrid::leaveEvent(QEvent* /*event*/) {
  context_.hover({});
}

void HeadGrid::keyPressEvent(QKeyEvent* event) {
  if (layers() == 0) return QWidget::keyPressEvent(event);
  // The selection may be of the run on show, whose model may have more layers than the open one.
  const int layer = std::clamp(context_.selected().layer, 0, layers() - 1);
  const int head = std::clamp(context_.selected().head, 0, heads() - 1);
  switch (event->key()) {
    case Qt::Key_Up:
      return context_.select_head(std::max(0, layer - 1), head);
    case Qt::Key_Down:
      return context_.select_head(std::min(layers() - 1, layer + 1), head);
    case Qt::Key_Left:
      return context_.select_head(layer, std::max(0, head - 1));
    case Qt::Key_Right:
      return context_.select_head(layer, std::min(heads() - 1, head + 1));
    case Qt::Key_Space:
      return edit_heads(QRect(head, layer, 1, 1));
    case Qt::Key_L:
      return toggle_layer(layer);
    case Qt::Key_S:
      return toggle_searcher({layer, head});
    default:
      QWidget::keyPressEvent(event);
  }
}

QString HeadGrid::describe(const Cell& cell) const {
  const Grouping& grouping = context_.config().grouping;
  const ModelConfig& model = *context_.model();
  if (cell.head < 0 && model.is_windowed(cell.layer))
    return filled(tr("Layer %1: sees the last %2 tokens, by the model's own window"), cell.layer, model.window);
  if (cell.head < 0) {
    return grouping.is_long_layer(cell.layer)
               ? tr("Layer %1: long-range, its long heads read a retrieved prefix").arg(cell.layer)
               : tr("Layer %1: no retrieval").arg(cell.layer);
  }
  const QString name =
      filled(tr("Layer %1, head %2 (KV head %3): "), cell.layer, cell.head, cell.head / context_.model()->group_size());
  if (has_patterns())
    return name + pattern_text(context_.config().of<MinferenceSettings>().head_patterns.at(cell.layer, cell.head));
  const QString searches_too = searches({cell.layer, cell.head}) ? tr("; it searches for all readers") : QString();
  switch (role(cell.layer, cell.head)) {
    case HeadRole::Local:
      return name + tr("local, reads %1").arg(reads(cell)) + searches_too;
    case HeadRole::LongRange:
      return name + tr("long-range, in a layer that does not retrieve, reads %1").arg(reads(cell)) + searches_too;
    case HeadRole::Retrieving:
      return name + tr("retrieving, reads %1").arg(reads(cell)) + searches_too;
    case HeadRole::Windowed:
      return name + tr("sees the last %1 tokens").arg(model.window);
  }
  return name;
}

QString HeadGrid::reads(const Cell& cell) const {
  const QString prefix = prefix_text(context_.config(), *context_.model(), {cell.layer, cell.head});
  return prefix.isEmpty() ? tr("only the segment") : tr("%1 and the segment").arg(prefix);
}

/// Once a font, and not for each cell that is painted.
void HeadGrid::measure_labels() {
  label_width_ = fontMetrics().horizontalAdvance(QStringLiteral("▸ 000"));
}

bool HeadGrid::event(QEvent* event) {
  if (event->type() == QEvent::FontChange) measure_labels();
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto cell = cell_at(help->pos());
  QToolTip::showText(help->globalPos(), cell ? describe(*cell) : QString(), this);
  return true;
}

}  // namespace carryover
