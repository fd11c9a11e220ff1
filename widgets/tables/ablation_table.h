// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "widgets/state/lab_context.h"

namespace carryover {

/// A row an anchor that was left out, of LabContext::what_ifs(). GUI thread.
class AblationTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Layer, Head, Position, Slots, Score, Change, Low, High, Text, ColumnCount };

  explicit AblationTable(LabContext& context, QObject* parent = nullptr);
  const AblatedHit& hit(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  double number(const AblatedHit& hit, int column) const;

  LabContext& context_;
};

}  // namespace carryover
