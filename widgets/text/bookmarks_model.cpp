// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/bookmarks_model.h"

#include "widgets/look/theme.h"

namespace carryover {

BookmarksModel::BookmarksModel(Notebook& notebook, QObject* parent) : ColumnModel(parent), notebook_(notebook) {
  using Row = const Bookmark&;
  const auto known = [](qint64 value) { return value < 0 ? QVariant() : QVariant(value); };
  TableColumn<Row> name = words(tr("Bookmark"), &Bookmark::name);
  name.edit = [this](int row, const QString& text) { return rename(row, text.trimmed()); };
  set_columns({
      name,
      figures(tr("Segment"), [known](Row row) { return known(row.place.segment); }),
      figures(tr("Layer"), [known](Row row) { return known(row.place.layer); }),
      figures(tr("Head"), [known](Row row) { return known(row.place.head); }),
      figures(tr("Position"), [known](Row row) { return known(row.place.token); }),
      words(tr("Run"), &Bookmark::run),
  });
  connect(&notebook, &Notebook::bookmarks_about_to_change, this, &BookmarksModel::beginResetModel);
  connect(&notebook, &Notebook::bookmarks_changed, this, &BookmarksModel::endResetModel);
}

void BookmarksModel::show_run(const QString& id) {
  if (id == run_) return;
  run_ = id;
  rows_changed(0, count() - 1);
}

bool BookmarksModel::rename(int row, const QString& name) {
  if (name.isEmpty()) return false;
  notebook_.rename_bookmark(row, name);
  return true;
}

QVariant BookmarksModel::row_data(const Bookmark& bookmark, int role) const {
  if (bookmark.run.isEmpty() || bookmark.run == run_) return {};
  if (role == Qt::ForegroundRole) return current_theme().muted;
  return role == Qt::ToolTipRole ? tr("It belongs to the run %1: open that run first").arg(bookmark.run) : QVariant();
}

}  // namespace carryover
