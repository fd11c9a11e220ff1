// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/comparison_table.h"

#include <QFont>

namespace carryover {

ComparisonTable::ComparisonTable(QObject* parent) : ColumnTable(parent) {
  const auto tipped = [](TableColumn<const ComparisonRow&> column) {  // long values, such as lists of heads
    return column.tipped_by([text = column.text](const ComparisonRow& row) {
      return row.part == ComparisonRow::Part::Setting ? text(row) : QVariant();
    });
  };
  set_columns({
      tipped(words(tr("Quantity, or setting that differs"), &ComparisonRow::name)),
      tipped(figures(tr("A: this run"), &ComparisonRow::a)),
      tipped(figures(tr("B: pinned"), &ComparisonRow::b)),
      tipped(figures(tr("A − B"), &ComparisonRow::change)),
  });
}

QVariant ComparisonTable::row_data(const ComparisonRow& row, int role) const {
  if (role != Qt::FontRole) return {};
  QFont font;
  font.setItalic(row.part == ComparisonRow::Part::Setting);
  return font;
}

}  // namespace carryover
