// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/row_filter.h"

#include <QLineEdit>
#include <algorithm>

namespace carryover {

void RowFilter::set_words(const QString& words) {
  words_ = words.split(u' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

bool RowFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  if (left.data(number_role).isValid()) return NumberSort::lessThan(left, right);
  return left.data().toString().localeAwareCompare(right.data().toString()) < 0;
}

bool RowFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  QString all;
  for (int column = 0; column < sourceModel()->columnCount(parent); ++column) {
    const QModelIndex cell = sourceModel()->index(row, column, parent);
    if (!cell.data(number_role).isValid()) all += cell.data().toString() + u'\n';
  }
  return std::ranges::all_of(words_, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

QLineEdit* filter_field(RowFilter& filter, const QString& name, QWidget* parent) {
  constexpr int widest_px = 160;
  auto* words = new QLineEdit(parent);
  words->setPlaceholderText(RowFilter::tr("Filter"));
  words->setClearButtonEnabled(true);
  words->setMaximumWidth(widest_px);
  words->setAccessibleName(name);
  QObject::connect(words, &QLineEdit::textChanged, &filter, &RowFilter::set_words);
  return words;
}

}  // namespace carryover
