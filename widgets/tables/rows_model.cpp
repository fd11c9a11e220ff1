// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/rows_model.h"

namespace carryover {

void RowsModel::update_rows(bool same, int now, const std::function<void()>& change) {
  const int before = count();
  if (!same || now < before) {
    beginResetModel();
    change();
    return endResetModel();
  }
  if (now > before) beginInsertRows({}, before, now - 1);
  change();
  if (now > before) endInsertRows();
  rows_changed(0, before - 1);
}

void RowsModel::rows_changed(int first, int last) {
  if (first >= 0 && first <= last) Q_EMIT dataChanged(index(first, 0), index(last, columnCount() - 1));
}

}  // namespace carryover
