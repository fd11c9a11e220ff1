// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

#include "widgets/tables/number_sort.h"

class QLineEdit;

namespace carryover {

/// Sorts the columns that have numbers by number and the others by text; shows the rows that have each word somewhere
/// in their columns of text. GUI thread.
class RowFilter : public NumberSort {
  Q_OBJECT
 public:
  using NumberSort::NumberSort;
  void set_words(const QString& words);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
};

/// Returns a field in which the filter's words are typed. `name` is for screen readers.
QLineEdit* filter_field(RowFilter& filter, const QString& name, QWidget* parent);

}  // namespace carryover
