// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/runs/state/run_digests.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The runs of the session as rows; the name's box takes a run into comparisons. GUI thread.
class RunDigestsTable : public ColumnModel<int> {
  Q_OBJECT
 public:
  enum Column { Name, Tokens, Ppl, Hits, MedianDistance, ColumnCount };

  explicit RunDigestsTable(RunDigests& runs, QObject* parent = nullptr);
  int row(int index) const override { return index; }

 protected:
  int count() const override { return runs_.count(); }
  QVariant row_data(int row, int role) const override;

 private:
  RunDigests& runs_;
};

}  // namespace carryover
