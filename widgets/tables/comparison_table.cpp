// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/comparison_table.h"

#include <QFont>
#include <algorithm>

namespace carryover {

void ComparisonTable::set_rows(std::vector<ComparisonRow> rows) {
  const auto same_name = [](const ComparisonRow& a, const ComparisonRow& b) {
    return a.part == b.part && a.name == b.name;
  };
  if (!rows.empty() && std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(), same_name)) {
    rows_ = std::move(rows);
    return Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int ComparisonTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ComparisonTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ComparisonTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const ComparisonRow& row = rows_[static_cast<std::size_t>(index.row())];
  const QString cells[] = {row.name, row.a, row.b, row.change};
  switch (role) {
    case Qt::DisplayRole:
      return cells[index.column()];
    case Qt::ToolTipRole:  // long values, such as lists of heads
      return row.part == ComparisonRow::Part::Setting ? cells[index.column()] : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::FontRole: {
      QFont font;
      font.setItalic(row.part == ComparisonRow::Part::Setting);
      return font;
    }
    default:
      return {};
  }
}

QVariant ComparisonTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return tr("Quantity, or setting that differs");
    case RunA:
      return tr("A: this run");
    case RunB:
      return tr("B: pinned");
    case Change:
      return tr("A − B");
    default:
      return {};
  }
}

}  // namespace carryover
