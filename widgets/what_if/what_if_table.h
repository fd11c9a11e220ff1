// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/lab_context.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// A row a what-if that was run, of LabContext::what_ifs(). Names can be edited. GUI thread.
class WhatIfTable : public ColumnModel<const WhatIfResult&> {
  Q_OBJECT
 public:
  enum Column { Name, Segment, Change, Low, High, Logit, Hits, Run, Edit, ColumnCount };

  explicit WhatIfTable(LabContext& context, QObject* parent = nullptr);
  const WhatIfResult& row(int index) const override { return what_ifs_.results()[static_cast<std::size_t>(index)]; }

 protected:
  int count() const override { return rows_; }

 private:
  void update();
  bool rename(int row, const QString& name);

  WhatIfs& what_ifs_;
  int rows_ = 0;
};

}  // namespace carryover
