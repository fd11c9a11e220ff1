// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/wrapping_bar.h"

#include <QStyle>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace carryover {
namespace {

/// A hidden widget takes no room; a spacer has none of its own but counts.
bool is_hidden(QLayoutItem& item) {
  return item.widget() != nullptr && item.isEmpty();
}

/// A text that wraps is as high as its width makes it.
int height_in(const QLayoutItem& item, int width) {
  return item.hasHeightForWidth() ? item.heightForWidth(width) : item.sizeHint().height();
}

}  // namespace

WrappingBar::~WrappingBar() {
  for (const Item& each : items_) delete each.item;
}

void WrappingBar::addWidget(QWidget* widget, int stretch) {
  addChildWidget(widget);
  items_.push_back({new QWidgetItem(widget), stretch});
  invalidate();
}

void WrappingBar::addStretch(int stretch) {
  items_.push_back({new QSpacerItem(0, 0, QSizePolicy::Expanding), stretch});
}

void WrappingBar::addSpacing(int width) {
  items_.push_back({new QSpacerItem(width, 0, QSizePolicy::Fixed), 0});
}

QLayoutItem* WrappingBar::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)].item : nullptr;
}

QLayoutItem* WrappingBar::takeAt(int index) {
  QLayoutItem* item = itemAt(index);
  if (item) items_.erase(items_.begin() + index);
  return item;
}

/// Returns the width that an item needs: its minimum if it gets the rest of a line or ignores its hint, else its hint.
int WrappingBar::width_of(const Item& item) const {
  const QWidget* widget = item.item->widget();
  const bool ignores = widget && widget->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
  return item.stretch > 0 || ignores ? item.item->minimumSize().width() : item.item->sizeHint().width();
}

QSize WrappingBar::sizeHint() const {
  QSize size(0, 0);
  for (const Item& each : items_) {
    if (is_hidden(*each.item)) continue;
    size.rwidth() += width_of(each) + (size.width() > 0 ? gap() : 0);
    size.setHeight(std::max(size.height(), each.item->sizeHint().height()));
  }
  const QMargins margins = contentsMargins();
  return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

QSize WrappingBar::minimumSize() const {
  QSize size(0, 0);
  for (const Item& each : items_)
    if (!each.item->isEmpty()) size = size.expandedTo({width_of(each), each.item->sizeHint().height()});
  const QMargins margins = contentsMargins();
  return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void WrappingBar::setGeometry(const QRect& place) {
  QLayout::setGeometry(place);
  arrange(place, true);
}

int WrappingBar::arrange(const QRect& place, bool apply) const {
  const QMargins margins = contentsMargins();
  const QRect inside = place.marginsRemoved(margins);
  int y = inside.top();
  for (std::size_t first = 0; first < items_.size();) {
    int width = 0;
    std::size_t end = first;
    for (; end < items_.size(); ++end) {
      const int wanted = is_hidden(*items_[end].item) ? 0 : width_of(items_[end]) + (width > 0 ? gap() : 0);
      if (width > 0 && width + wanted > inside.width()) break;
      width += wanted;
    }
    const int height = arrange_line(first, end, {inside.left(), y, inside.width(), 0}, apply);
    if (height > 0) y += height + gap() / 2;
    first = end;
  }
  return std::max(0, y - gap() / 2 - inside.top()) + margins.top() + margins.bottom();
}

int WrappingBar::arrange_line(std::size_t first, std::size_t end, const QRect& line, bool apply) const {
  int used = 0, stretch = 0, shown = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Item& each = items_[i];
    if (is_hidden(*each.item)) continue;
    stretch += each.stretch;
    used += width_of(each) + (shown++ > 0 ? gap() : 0);
  }
  std::vector<std::pair<QLayoutItem*, QRect>> places;
  int x = line.left(), left = std::max(0, line.width() - used), height = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Item& each = items_[i];
    if (is_hidden(*each.item)) continue;
    const int extra = stretch > 0 ? left * each.stretch / stretch : 0;
    left -= extra;
    stretch -= each.stretch;
    const int width = std::min(width_of(each) + extra, std::max(0, line.right() + 1 - x));
    const int tall = height_in(*each.item, width);
    places.emplace_back(each.item, QRect(x, line.top(), width, tall));
    height = std::max(height, tall);
    x += width + gap();
  }
  if (!apply) return height;
  const auto direction = parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
  for (auto& [item, place] : places) {
    place.moveTop(line.top() + (height - place.height()) / 2);
    item->setGeometry(QStyle::visualRect(direction, line, place));
  }
  return height;
}

}  // namespace carryover
