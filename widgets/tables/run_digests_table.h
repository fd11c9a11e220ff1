// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "widgets/state/run_digests.h"

namespace carryover {

/// The runs of the session as rows; the name's box takes a run into comparisons. GUI thread.
class RunDigestsTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Tokens, Ppl, Hits, MedianDistance, ColumnCount };

  explicit RunDigestsTable(RunDigests& runs, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  QVariant text(int row, int column) const;

  RunDigests& runs_;
};

}  // namespace carryover
