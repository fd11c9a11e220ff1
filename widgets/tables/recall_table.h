// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "engine/core/run/inspection.h"

namespace carryover {

/// A row a long-range head: what it retrieved against its attention over all searched positions. GUI thread.
class RecallTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Layer, Head, Recall, Mass, OracleMass, Missed, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<HeadRecall> rows);
  const HeadRecall& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<HeadRecall> rows_;
};

}  // namespace carryover
