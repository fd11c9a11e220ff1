// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/step_table.h"

#include <algorithm>

#include "widgets/state/quantity_text.h"

namespace carryover {

void StepTable::set(StepRows rows) {
  beginResetModel();
  table_ = std::move(rows);
  endResetModel();
}

int StepTable::row_of(std::int64_t position) const {
  const auto found = std::find_if(table_.rows.begin(), table_.rows.end(),
                                  [position](const StepRows::Row& row) { return row.position == position; });
  return found == table_.rows.end() ? -1 : static_cast<int>(found - table_.rows.begin());
}

int StepTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}
int StepTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant StepTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role != Qt::DisplayRole) return {};
  const QVariant& cell = table_.rows[static_cast<std::size_t>(index.row())].cells[index.column()];
  return cell.typeId() == QMetaType::Double ? significant_text(cell.toDouble(), 6) : cell;
}

QVariant StepTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= table_.columns.size())
    return {};
  return table_.columns[section];
}

}  // namespace carryover
