// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/compare/state/comparison_rows.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// Two runs side by side: a row a quantity or a setting that differs. Views keep their selection where the names are
/// the same again. GUI thread.
class ComparisonTable : public ColumnTable<ComparisonRow> {
  Q_OBJECT
 public:
  enum Column { Name, RunA, RunB, Change, ColumnCount };
  explicit ComparisonTable(QObject* parent = nullptr);

 protected:
  bool is_same(const ComparisonRow& a, const ComparisonRow& b) const override {
    return a.part == b.part && a.name == b.name;
  }
  QVariant row_data(const ComparisonRow& row, int role) const override;
};

}  // namespace carryover
