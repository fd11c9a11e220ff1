// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/runs/state/search_walk.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The result of a step of a search. GUI thread.
class StepTable : public ColumnModel<const StepRows::Row&> {
  Q_OBJECT
 public:
  using ColumnModel::ColumnModel;
  void set(StepRows rows);
  const StepRows::Row& row(int index) const override { return rows_[static_cast<std::size_t>(index)]; }
  int row_of(std::int64_t position) const;  ///< the first one; −1: none

 protected:
  int count() const override { return static_cast<int>(rows_.size()); }

 private:
  std::vector<StepRows::Row> rows_;
};

}  // namespace carryover
