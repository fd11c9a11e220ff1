// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "widgets/state/notebook.h"

namespace carryover {

/// The notebook's bookmarks, a row each; names can be edited in place, undoably.
class BookmarksModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Segment, Layer, Head, Token, Run, ColumnCount };
  explicit BookmarksModel(Notebook& notebook, QObject* parent = nullptr);

  /// Bookmarks of other runs than this one look as what can't be gone to.
  void show_run(const QString& id);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Notebook& notebook_;
  QString run_;
};

}  // namespace carryover
