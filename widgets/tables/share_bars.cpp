// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/share_bars.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/look/colour_mix.h"
#include "widgets/look/gradients.h"
#include "widgets/look/theme.h"
#include "widgets/tables/number_sort.h"

namespace carryover {

void ShareBars::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QVariant number = index.data(number_role);
  const double value = number.isValid() ? number.toDouble() : std::nan("");
  const bool selected = option.state & QStyle::State_Selected;
  if (!std::isnan(value) && full_ > 0 && !selected) {
    const Theme& theme = current_theme();
    const double share = std::clamp(value / full_, -1.0, 1.0);
    const QRectF cell = QRectF(option.rect).adjusted(1, 2, -1, -2);
    const double room = kind_ == Contributions ? cell.width() / 2 : cell.width();
    const double start = kind_ == Contributions ? cell.center().x() : cell.left();
    const QColor colour =
        kind_ == Contributions ? contribution_colour(share < 0 ? -1 : 1, theme.kind == ThemeKind::Dark) : theme.accent;
    painter->fillRect(QRectF(start, cell.top(), room * share, cell.height()).normalized(),
                      blend(theme.surface, colour, 0.35));
  }
  QStyledItemDelegate::paint(painter, option, index);
}

}  // namespace carryover
