// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/passages_table.h"

#include <cmath>

#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

double number(const PassageRow& row, int column) {
  switch (column) {
    case PassagesTable::Score:
      return static_cast<double>(row.passage.score);
    case PassagesTable::Segment:
      return row.segment;
    case PassagesTable::Position:
      return static_cast<double>(row.passage.first);
    case PassagesTable::Change:
      return row.change;
    case PassagesTable::TokenChange:
      return row.token_change;
    case PassagesTable::Without:
      return row.without;
    case PassagesTable::Alone:
      return row.alone;
    default:
      return NAN;
  }
}

QString share_text(double probability) {
  return probability < 0 ? QString() : probability_text(probability);
}

QString nats(double change) {
  return std::isnan(change) ? QString() : signed_text(change, 3);
}

}  // namespace

void PassagesTable::set_rows(std::vector<PassageRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int PassagesTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int PassagesTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant PassagesTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const PassageRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == number_role) return number(row, index.column());
  if (role == Qt::ToolTipRole && index.column() == Text) return row.text;
  if (role == Qt::TextAlignmentRole)
    return QVariant((index.column() == Text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Score:
      return decimal_text(static_cast<double>(row.passage.score), 2);
    case Segment:
      return QString::number(row.segment);
    case Position:
      return QString::number(row.passage.first);
    case Text:
      return row.text;
    case Change:
      return nats(row.change);
    case TokenChange:
      return nats(row.token_change);
    case Without:
      return share_text(row.without);
    default:
      return share_text(row.alone);
  }
}

QVariant PassagesTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Score"),  tr("Segment"), tr("Position"),   tr("Passage"),
                           tr("Δ loss"), tr("Δ token"), tr("Without it"), tr("Alone")};
  const QString tips[] = {
      tr("Its window's mean score, or its anchor's"),
      tr("Segment that contains it"),
      tr("Position of its first token"),
      tr("Retrieved text"),
      tr("Mean loss of the reading segment without the passage minus with it, in nats; measured by Remove"),
      tr("The same for the selected token"),
      tr("Probability of the answer's first phrase without the passage; measured by Remove"),
      tr("The same with this passage alone; measured by Only this one")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

}  // namespace carryover
