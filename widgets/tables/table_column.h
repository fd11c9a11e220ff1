// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QVariant>
#include <functional>
#include <optional>
#include <utility>

#include "widgets/look/quantity_text.h"

namespace carryover {

/// A column of a ColumnModel: its name, and what its cells hold of a row. A function that is not set gives nothing.
template <typename Row>
struct TableColumn {
  using Cell = std::function<QVariant(Row)>;
  using Number = std::function<double(Row)>;

  QString title, tip;  ///< of the header
  Qt::AlignmentFlag side = Qt::AlignLeft;
  Cell text, tool_tip = {}, colour = {}, icon = {};
  Number number = {};                                           ///< to sort by; NaN where a cell has none
  std::function<std::optional<bool>(int row)> ticked = {};      ///< nothing: the cell has no box
  std::function<void(int row, bool ticked)> tick = {};          ///< the box is clicked
  std::function<bool(int row, const QString& text)> edit = {};  ///< false: such a text is refused

  TableColumn& sorted_by(Number by) { return number = std::move(by), *this; }
  TableColumn& tipped_by(Cell by) { return tool_tip = std::move(by), *this; }
  TableColumn& tipped_by_text() { return tool_tip = text, *this; }  ///< which may be wider than the column
  TableColumn& coloured_by(Cell by) { return colour = std::move(by), *this; }
  TableColumn& marked_by(Cell by) { return icon = std::move(by), *this; }
};

/// Writes a whole number that counts.
inline QString whole_count_text(double count) {
  return count_text(static_cast<std::int64_t>(count));
}

/// Writes a number that names a place, such as a layer: without separators, because it can be typed back.
inline QString index_text(double place) {
  return QString::number(static_cast<qlonglong>(place));
}

}  // namespace carryover
