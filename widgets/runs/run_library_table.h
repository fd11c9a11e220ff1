// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/run_library.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The list of runs as rows; the name's box compares a run with others, name and tags can be edited. GUI thread.
class RunLibraryTable : public ColumnModel<const ListedRun&> {
  Q_OBJECT
 public:
  enum Column { Name, Kind, Tags, Policy, Model, Tokens, Loss, Ppl, Size, Made, ColumnCount };

  static constexpr int place_role = Qt::UserRole + 1;

  explicit RunLibraryTable(RunLibrary& library, QObject* parent = nullptr);
  /// Sets the run that the views show; its row is in bold.
  void set_shown(const QString& place);
  const QString& shown() const { return shown_; }
  const ListedRun& row(int index) const override { return library_.run(index); }

 protected:
  int count() const override { return library_.count(); }
  QVariant row_data(const ListedRun& run, int role) const override;

 private:
  std::vector<TableColumn<const ListedRun&>> columns();
  TableColumn<const ListedRun&> name_column();
  TableColumn<const ListedRun&> tags_column();

  RunLibrary& library_;
  QString shown_;
};

}  // namespace carryover
