// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/bench/bench_file.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The measurements of a bench as rows. Every cell has a number to sort by. GUI thread.
class BenchTable : public ColumnTable<BenchMeasurement> {
  Q_OBJECT
 public:
  enum Column { Work, Who, Tokens, Repeats, Time, Rate, Share, Peak, Deviation, ColumnCount };

  explicit BenchTable(QObject* parent = nullptr);
  void set_rows(std::vector<BenchMeasurement> rows);
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<std::string> names_;  ///< of the Who column, in the order that it sorts by
};

}  // namespace carryover
