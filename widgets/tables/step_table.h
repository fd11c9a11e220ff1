// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "widgets/state/search_walk.h"

namespace carryover {

/// The result of a step of a search. GUI thread.
class StepTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  void set(StepRows rows);
  std::int64_t position(int row) const { return table_.rows[static_cast<std::size_t>(row)].position; }
  int row_of(std::int64_t position) const;  ///< the first one; −1: none

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  StepRows table_;
};

}  // namespace carryover
