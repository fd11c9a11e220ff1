// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <functional>

namespace carryover {

/// An item model of rows, which tells its views how they change. GUI thread.
class RowsModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;
  int rowCount(const QModelIndex& parent = {}) const final { return parent.isValid() ? 0 : count(); }

 protected:
  virtual int count() const = 0;  ///< number of rows, as views know it

  /// Lets `change` replace what the rows are read from; `now` is their number after it. Where the first rows are the
  /// `same` ones again, views keep their selection and place.
  void update_rows(bool same, int now, const std::function<void()>& change);
  void rows_changed(int first, int last);  ///< those from first to last; none where there is no such row

  /// Follows a list of runs, which signals each row that it is about to add or remove. The lists have different names
  /// for what they signal when it is `removed`.
  template <typename List>
  void follow(const List& list, void (List::*removed)(int)) {
    connect(&list, &List::about_to_add, this, [this](int row) { beginInsertRows({}, row, row); });
    connect(&list, &List::added, this, [this] { endInsertRows(); });
    connect(&list, &List::about_to_remove, this, [this](int row) { beginRemoveRows({}, row, row); });
    connect(&list, removed, this, [this] { endRemoveRows(); });
    connect(&list, &List::run_changed, this, [this](int row) { rows_changed(row, row); });
  }
};

}  // namespace carryover
