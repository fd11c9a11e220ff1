// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "engine/core/analysis/recall_heads.h"

namespace carryover {

/// A row a searcher, in the order of choice. GUI thread.
class SearchersTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Head, Found, HeldOut, Alone, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;
  void set_heads(const RecallHeads& heads);
  HeadRef head(int row) const { return heads_.searchers[static_cast<std::size_t>(row)].head; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  RecallHeads heads_;
};

/// A row a step that has fewer readers than the one before; the last row is that nothing retrieved is read. GUI thread.
class ReadersTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Layers, Heads, Pool, Loss, Answered, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;
  void set_heads(const RecallHeads& heads, std::int64_t tokens);  ///< of the pool whose size is shown

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(const ReaderStep& step, int column) const;

  std::vector<ReaderStep> steps_;
  std::int64_t tokens_ = 0;
};

}  // namespace carryover
