// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "widgets/tables/column_table.h"
#include "widgets/what_if/state/what_if_result.h"

namespace carryover {

/// A row a slot that a what-if lost or gained. GUI thread.
class HitChangesTable : public ColumnTable<HitChange> {
  Q_OBJECT
 public:
  enum Column { Sign, Layer, Head, Position, Kind, Text, ColumnCount };
  explicit HitChangesTable(const std::function<QString(std::int64_t position)>& text, QObject* parent = nullptr);
};

}  // namespace carryover
