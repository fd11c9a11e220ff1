// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/number_sort.h"

#include <cmath>

namespace carryover {

NumberSort::NumberSort(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(number_role);
  setDynamicSortFilter(true);
}

bool NumberSort::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const double a = left.data(sortRole()).toDouble(), b = right.data(sortRole()).toDouble();
  if (std::isnan(a) || std::isnan(b))
    return sortOrder() == Qt::AscendingOrder ? !std::isnan(a) : !std::isnan(b) && std::isnan(a);
  return a < b;
}

}  // namespace carryover
