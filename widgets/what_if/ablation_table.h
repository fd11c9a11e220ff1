// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/lab_context.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// A row an anchor that was left out, of LabContext::what_ifs(). GUI thread.
class AblationTable : public ColumnModel<const AblatedHit&> {
  Q_OBJECT
 public:
  enum Column { Layer, Head, Position, Slots, Score, Change, Low, High, Text, ColumnCount };

  explicit AblationTable(LabContext& context, QObject* parent = nullptr);
  const AblatedHit& row(int index) const override { return what_ifs_.ablated()[static_cast<std::size_t>(index)]; }

 protected:
  int count() const override { return static_cast<int>(what_ifs_.ablated().size()); }

 private:
  const WhatIfs& what_ifs_;
};

}  // namespace carryover
