// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "engine/records/bench_file.h"

namespace carryover {

/// The measurements of a bench as rows. Every cell has a number to sort by (number_role). GUI thread.
class BenchTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Work, Who, Tokens, Repeats, Time, Rate, Share, Peak, Deviation, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<BenchMeasurement> rows);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  double number(const BenchMeasurement& row, int column) const;

  std::vector<BenchMeasurement> rows_;
  std::vector<std::string> names_;  ///< of the Who column, in the order that it sorts by
};

}  // namespace carryover
