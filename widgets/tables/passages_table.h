// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "widgets/state/passages.h"

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
class PassagesTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Score, Segment, Position, Text, Change, TokenChange, Without, Alone, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<PassageRow> rows);
  const std::vector<PassageRow>& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<PassageRow> rows_;
};

}  // namespace carryover
