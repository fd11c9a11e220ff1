// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSortFilterProxyModel>

namespace carryover {

/// The role under which a table gives a cell's number; NaN where it has none.
constexpr int number_role = Qt::UserRole;

/// Sorts a table by its cells' numbers; rows that have none come last in either order. GUI thread.
class NumberSort : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit NumberSort(QObject* parent = nullptr);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace carryover
