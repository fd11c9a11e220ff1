// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/recall_table.h"

#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

double number(const HeadRecall& row, int column) {
  switch (column) {
    case RecallTable::Layer:
      return row.head.layer;
    case RecallTable::Head:
      return row.head.head;
    case RecallTable::Recall:
      return row.recall;
    case RecallTable::Mass:
      return row.mass;
    case RecallTable::OracleMass:
      return row.oracle_mass;
    default:
      return row.oracle_mass - row.mass;
  }
}

}  // namespace

void RecallTable::set_rows(std::vector<HeadRecall> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int RecallTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int RecallTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant RecallTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const double value = number(row(index.row()), index.column());
  if (role == number_role) return value;
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role != Qt::DisplayRole) return {};
  if (index.column() <= Head) return QString::number(static_cast<int>(value));
  return percent_text(value, 1);
}

QVariant RecallTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Layer"), tr("Head"), tr("Recall@R"), tr("Mass"), tr("Oracle mass"), tr("Missed")};
  const QString tips[] = {
      tr("Layer"),
      tr("Query head"),
      tr("Share of the R positions with most attention over all searched positions that was retrieved"),
      tr("Share of the attention over all searched positions that falls on retrieved positions"),
      tr("The same for the R positions with most attention: the maximum for R positions"),
      tr("Oracle mass minus mass")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

}  // namespace carryover
