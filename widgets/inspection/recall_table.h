// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/runs/values/inspection.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// A row a long-range head: what it retrieved against its attention over all searched positions. GUI thread.
class RecallTable : public ColumnTable<HeadRecall> {
  Q_OBJECT
 public:
  enum Column { Layer, Head, Recall, Mass, OracleMass, Missed, ColumnCount };
  explicit RecallTable(QObject* parent = nullptr);
};

}  // namespace carryover
