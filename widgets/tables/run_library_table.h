// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "widgets/state/run_library.h"

namespace carryover {

/// The list of runs as rows; the name's box compares a run with others, name and tags can be edited. GUI thread.
class RunLibraryTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Kind, Tags, Policy, Model, Tokens, Loss, Ppl, Size, Made, ColumnCount };

  static constexpr int place_role = Qt::UserRole + 1;

  explicit RunLibraryTable(RunLibrary& library, QObject* parent = nullptr);
  /// Sets the run that the views show; its row is in bold.
  void set_shown(const QString& place);
  const QString& shown() const { return shown_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  static QString text(const ListedRun& run, int column);
  static QVariant number(const ListedRun& run, int column);
  QVariant look(const ListedRun& run, int role) const;
  void tell(int row);

  RunLibrary& library_;
  QString shown_;
};

}  // namespace carryover
