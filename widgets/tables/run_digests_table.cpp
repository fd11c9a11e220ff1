// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/run_digests_table.h"

#include "widgets/state/quantity_text.h"

namespace carryover {

RunDigestsTable::RunDigestsTable(RunDigests& runs, QObject* parent) : QAbstractTableModel(parent), runs_(runs) {
  connect(&runs, &RunDigests::about_to_add, this, [this](int index) { beginInsertRows({}, index, index); });
  connect(&runs, &RunDigests::added, this, [this] { endInsertRows(); });
  connect(&runs, &RunDigests::about_to_remove, this, [this](int index) { beginRemoveRows({}, index, index); });
  connect(&runs, &RunDigests::removed, this, [this] { endRemoveRows(); });
  connect(&runs, &RunDigests::run_changed, this,
          [this](int row) { Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1)); });
  connect(&runs, &RunDigests::names_changed, this, [this] {
    if (const int rows = rowCount(); rows > 0) Q_EMIT dataChanged(index(0, Name), index(rows - 1, Name));
  });
}

int RunDigestsTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : runs_.count();
}
int RunDigestsTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunDigestsTable::text(int row, int column) const {
  const RunDigest& run = runs_.run(row);
  const HeadDistances all = sum_of(run.heads);
  switch (column) {
    case Name:
      return runs_.name(row);
    case Tokens:
      return count_text(run.tokens);
    case Ppl:
      return run.ppl ? decimal_text(*run.ppl, 3) : QString();
    case Hits:
      return count_text(all.total());
    case MedianDistance:
      return all.median() ? decimal_text(*all.median(), 0) : QString();
    default:
      return {};
  }
}

QVariant RunDigestsTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= runs_.count()) return {};
  const RunDigest& run = runs_.run(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(index.row(), index.column());
    case Qt::TextAlignmentRole:
      return QVariant((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::CheckStateRole:
      if (index.column() == Name) return run.ticked ? Qt::Checked : Qt::Unchecked;
      return {};
    case Qt::ToolTipRole:
      return run.details;
    default:
      return {};
  }
}

bool RunDigestsTable::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Name) return false;
  runs_.set_ticked(index.row(), value.toInt() == Qt::Checked);
  return true;
}

QVariant RunDigestsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return tr("Run");
    case Tokens:
      return tr("Tokens");
    case Ppl:
      return tr("PPL");
    case Hits:
      return tr("Hits");
    case MedianDistance:
      return tr("Median dist.");
    default:
      return {};
  }
}

Qt::ItemFlags RunDigestsTable::flags(const QModelIndex& index) const {
  const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() == Name ? usual | Qt::ItemIsUserCheckable : usual;
}

}  // namespace carryover
