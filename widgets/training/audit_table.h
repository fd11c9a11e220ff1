// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/training/records/audit_report.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The checks of an AuditReport as rows. Whether one passed is said by its icon's shape, its colour and its words.
/// GUI thread.
class AuditTable : public ColumnTable<AuditCheck> {
  Q_OBJECT
 public:
  enum Column { Result, Check, Difference, Bound, Margin, Measure, ColumnCount };

  explicit AuditTable(QObject* parent = nullptr);
  void recolour() { rows_changed(0, count() - 1); }  ///< after a change of theme

 protected:
  QVariant row_data(const AuditCheck& check, int role) const override;
};

}  // namespace carryover
