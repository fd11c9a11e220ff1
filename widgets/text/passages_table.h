// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/tables/column_table.h"
#include "widgets/text/state/passages.h"

namespace carryover {

/// A row of PassagesTable.
struct PassageRow {
  Passage passage;
  int segment = -1;  ///< that the passage lies in
  QString text;
  double change = 0;                ///< of the reader's mean loss without it, nats; NaN: not known
  double token_change = 0;          ///< of the selected token's
  double without = -1, alone = -1;  ///< probability of an answer without it, or with it alone; negative: not known
};

/// A row a passage, best score first. GUI thread.
class PassagesTable : public ColumnTable<PassageRow> {
  Q_OBJECT
 public:
  enum Column { Score, Segment, Position, Text, Change, TokenChange, Without, Alone, ColumnCount };
  explicit PassagesTable(QObject* parent = nullptr);
};

}  // namespace carryover
