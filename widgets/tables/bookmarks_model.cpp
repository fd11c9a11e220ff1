// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/bookmarks_model.h"

#include "widgets/look/theme.h"

namespace carryover {

BookmarksModel::BookmarksModel(Notebook& notebook, QObject* parent) : QAbstractTableModel(parent), notebook_(notebook) {
  connect(&notebook, &Notebook::bookmarks_about_to_change, this, &BookmarksModel::beginResetModel);
  connect(&notebook, &Notebook::bookmarks_changed, this, &BookmarksModel::endResetModel);
}

void BookmarksModel::show_run(const QString& id) {
  if (id == run_) return;
  run_ = id;
  if (const int rows = rowCount(); rows > 0) Q_EMIT dataChanged(index(0, 0), index(rows - 1, ColumnCount - 1));
}

int BookmarksModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(notebook_.bookmarks().size());
}

int BookmarksModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant BookmarksModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Bookmark& bookmark = notebook_.bookmarks()[static_cast<std::size_t>(index.row())];
  const bool elsewhere = !bookmark.run.isEmpty() && bookmark.run != run_;
  if (elsewhere && role == Qt::ForegroundRole) return current_theme().muted;
  if (elsewhere && role == Qt::ToolTipRole)
    return tr("It belongs to the run %1: open that run first").arg(bookmark.run);
  if (index.column() == Name)
    return role == Qt::DisplayRole || role == Qt::EditRole ? QVariant(bookmark.name) : QVariant();
  if (index.column() == Run) return role == Qt::DisplayRole ? QVariant(bookmark.run) : QVariant();
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const Selection& place = bookmark.place;
  const qint64 values[] = {place.segment, place.layer, place.head, place.token};
  const qint64 value = values[index.column() - Segment];
  return value < 0 ? QVariant() : QVariant(value);
}

bool BookmarksModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const QString name = value.toString().trimmed();
  if (!index.isValid() || role != Qt::EditRole || index.column() != Name || name.isEmpty()) return false;
  notebook_.rename_bookmark(index.row(), name);
  return true;
}

Qt::ItemFlags BookmarksModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.isValid() && index.column() == Name) flags |= Qt::ItemIsEditable;
  return flags;
}

QVariant BookmarksModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return tr("Bookmark");
    case Segment:
      return tr("Segment");
    case Layer:
      return tr("Layer");
    case Head:
      return tr("Head");
    case Token:
      return tr("Position");
    case Run:
      return tr("Run");
    default:
      return {};
  }
}

}  // namespace carryover
