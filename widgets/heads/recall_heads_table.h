// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/heads/choice/recall_heads.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// A row a searcher, in the order of choice. GUI thread.
class SearchersTable : public ColumnTable<SearcherStep> {
  Q_OBJECT
 public:
  enum Column { Head, Found, HeldOut, Alone, ColumnCount };
  explicit SearchersTable(QObject* parent = nullptr);
  void set_heads(const RecallHeads& heads);

 private:
  HeadScores found_;  ///< by each head alone
};

/// A row a step that has fewer readers than the one before; the last row is that nothing retrieved is read. GUI thread.
class ReadersTable : public ColumnTable<ReaderStep> {
  Q_OBJECT
 public:
  enum Column { Layers, Heads, Pool, Loss, Answered, ColumnCount };
  explicit ReadersTable(QObject* parent = nullptr);
  void set_heads(const RecallHeads& heads, std::int64_t tokens);  ///< of the pool whose size is shown

 private:
  std::int64_t tokens_ = 0;
};

}  // namespace carryover
