// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/hit_changes_table.h"

#include "widgets/look/theme.h"
#include "widgets/state/prefix_text.h"

namespace carryover {

HitChangesTable::HitChangesTable(std::function<QString(std::int64_t)> text, QObject* parent)
    : QAbstractTableModel(parent), text_(std::move(text)) {}

void HitChangesTable::set_changes(std::vector<HitChange> changes) {
  beginResetModel();
  changes_ = std::move(changes);
  endResetModel();
}

int HitChangesTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(changes_.size());
}
int HitChangesTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant HitChangesTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const HitChange& row = change(index.row());
  const int column = index.column();
  if (role == Qt::TextAlignmentRole) {
    const bool words = column == Sign || column == Kind || column == Text;
    return QVariant(Qt::Alignment(Qt::AlignVCenter | (words ? Qt::AlignLeft : Qt::AlignRight)));
  }
  if (role == Qt::ForegroundRole && column == Sign) return row.gained ? current_theme().carry : current_theme().anchor;
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case Sign:
      return row.gained ? tr("+ added") : tr("− removed");
    case Layer:
      return row.layer;
    case Head:
      return row.head;
    case Position:
      return static_cast<qlonglong>(row.hit.position);
    case Kind:
      return hit_kind_text(row.hit.kind);
    default:
      return text_ ? text_(row.hit.position) : QString();
  }
}

QVariant HitChangesTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Change"), tr("Layer"), tr("Head"), tr("Position"), tr("Kind"), tr("Text")};
  return role == Qt::DisplayRole ? QVariant(names[section]) : QVariant();
}

}  // namespace carryover
