// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/ablation_table.h"

#include <cmath>

#include "widgets/state/quantity_text.h"
#include "widgets/state/text_units.h"
#include "widgets/tables/number_sort.h"

namespace carryover {

AblationTable::AblationTable(LabContext& context, QObject* parent) : QAbstractTableModel(parent), context_(context) {
  connect(&context.what_ifs(), &WhatIfs::ablation_reset, this, [this] {
    beginResetModel();
    endResetModel();
  });
  connect(&context.what_ifs(), &WhatIfs::ablation_changed, this,
          [this](int row) { Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1)); });
}

const AblatedHit& AblationTable::hit(int row) const {
  return context_.what_ifs().ablated()[static_cast<std::size_t>(row)];
}

int AblationTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(context_.what_ifs().ablated().size());
}
int AblationTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

double AblationTable::number(const AblatedHit& hit, int column) const {
  switch (column) {
    case Layer:
      return hit.anchor.layer;
    case Head:
      return hit.anchor.head;
    case Slots:
      return hit.left_out;
    case Score:
      return static_cast<double>(hit.score);
    case Change:
      return hit.done ? hit.change.mean : NAN;
    case Low:
      return hit.done ? hit.change.low : NAN;
    case High:
      return hit.done ? hit.change.high : NAN;
    default:
      return static_cast<double>(hit.anchor.position);
  }
}

QVariant AblationTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const AblatedHit& row = hit(index.row());
  const double value = number(row, index.column());
  if (role == number_role) return value;
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::Alignment(Qt::AlignVCenter | (index.column() == Text ? Qt::AlignLeft : Qt::AlignRight)));
  if (role != Qt::DisplayRole) return {};
  if (index.column() == Text) return text_around(context_.run(), row.anchor.position);
  if (std::isnan(value)) return {};
  if (index.column() == Score) return significant_text(value, 5);
  if (index.column() < Score) return QString::number(static_cast<qlonglong>(value));
  return signed_text(value, 5);
}

QVariant AblationTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Layer"),  tr("Head"),   tr("Position"), tr("Slots"), tr("Score"),
                           tr("Δ loss"), tr("CI low"), tr("CI high"),  tr("Text")};
  const QString tips[] = {
      tr("Layer"),
      tr("Query head"),
      tr("Absolute position of the anchor"),
      tr("Ablated: the anchor and the positions expanded from it"),
      tr("Raw dot product of the best query summary with the unrotated key"),
      tr("Mean loss of the segment without the hit minus the mean loss with it, in nats. Positive: the hit helped"),
      tr("Lower bound of the 95 % bootstrap interval"),
      tr("Upper bound of the 95 % bootstrap interval"),
      tr("Text around the position")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

}  // namespace carryover
