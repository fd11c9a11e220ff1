// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <functional>
#include <vector>

#include "widgets/state/what_if_result.h"

namespace carryover {

/// A row a slot that a what-if lost or gained. GUI thread.
class HitChangesTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Sign, Layer, Head, Position, Kind, Text, ColumnCount };

  explicit HitChangesTable(std::function<QString(std::int64_t position)> text, QObject* parent = nullptr);
  void set_changes(std::vector<HitChange> changes);
  const HitChange& change(int row) const { return changes_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<HitChange> changes_;
  std::function<QString(std::int64_t)> text_;
};

}  // namespace carryover
