// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "widgets/state/comparison_rows.h"

namespace carryover {

/// Two runs side by side: a row a quantity or a setting that differs. GUI thread.
class ComparisonTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, RunA, RunB, Change, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<ComparisonRow> rows);  ///< in place where the names are the same: selections stay

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ComparisonRow> rows_;
};

}  // namespace carryover
