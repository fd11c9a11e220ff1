// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/audit_table.h"

#include "widgets/look/icons.h"
#include "widgets/look/theme.h"
#include "widgets/state/quantity_text.h"

namespace carryover {

void AuditTable::set_checks(std::vector<AuditCheck> checks) {
  beginResetModel();
  checks_ = std::move(checks);
  endResetModel();
}

void AuditTable::recolour() {
  if (!checks_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int AuditTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(checks_.size());
}
int AuditTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString AuditTable::text(const AuditCheck& check, int column) const {
  switch (column) {
    case Result:
      return check.passed() ? tr("passed") : tr("FAILED");
    case Check:
      return QString::fromStdString(check.name);
    case Difference:
      return scientific_text(check.difference, 2);
    case Bound:
      return check.bound == 0 ? tr("0 (equal)") : scientific_text(check.bound, 1);
    case Margin:
      return check.margin > 0 ? scientific_text(check.margin, 1) : QString();
    default:
      return QString::fromStdString(check.measure);
  }
}

QVariant AuditTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const AuditCheck& check = checks_[static_cast<std::size_t>(index.row())];
  const bool number = index.column() >= Difference && index.column() <= Margin;
  const QColor colour = check.passed() ? current_theme().carry : current_theme().anchor;
  switch (role) {
    case Qt::DisplayRole:
      return text(check, index.column());
    case Qt::ToolTipRole:
      return tr("%1: %2 is %3, the bound is %4")
          .arg(text(check, Check), text(check, Measure), text(check, Difference), text(check, Bound));
    case Qt::TextAlignmentRole:
      return QVariant((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DecorationRole:
      if (index.column() != Result) return {};
      return coloured_icon(check.passed() ? QStringLiteral("passed") : QStringLiteral("failed"), colour);
    case Qt::ForegroundRole:
      if (index.column() == Result || (index.column() == Difference && !check.passed())) return colour;
      return {};
    default:
      return {};
  }
}

QVariant AuditTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole && section == Margin)
    return tr("Distance between the gradient of K and that of the nearest other K, on this model and text");
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Result:
      return tr("Result");
    case Check:
      return tr("Check");
    case Difference:
      return tr("Difference");
    case Bound:
      return tr("Bound");
    case Margin:
      return tr("Margin");
    default:
      return tr("Measure");
  }
}

}  // namespace carryover
