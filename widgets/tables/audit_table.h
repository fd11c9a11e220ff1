// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "engine/core/analysis/audit_report.h"

namespace carryover {

/// The checks of an AuditReport as rows. Whether one passed is said by its icon's shape, its colour and its words.
/// GUI thread.
class AuditTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Result, Check, Difference, Bound, Margin, Measure, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void set_checks(std::vector<AuditCheck> checks);
  void recolour();  ///< after a change of theme

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const AuditCheck& check, int column) const;
  std::vector<AuditCheck> checks_;
};

}  // namespace carryover
