// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/notebook.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The notebook's bookmarks, a row each; names can be edited in place, undoably.
class BookmarksModel : public ColumnModel<const Bookmark&> {
  Q_OBJECT
 public:
  enum Column { Name, Segment, Layer, Head, Token, Run, ColumnCount };
  explicit BookmarksModel(Notebook& notebook, QObject* parent = nullptr);

  /// Bookmarks of other runs than this one look as what can't be gone to.
  void show_run(const QString& id);
  const Bookmark& row(int index) const override { return notebook_.bookmarks()[static_cast<std::size_t>(index)]; }

 protected:
  int count() const override { return static_cast<int>(notebook_.bookmarks().size()); }
  QVariant row_data(const Bookmark& bookmark, int role) const override;

 private:
  bool rename(int row, const QString& name);

  Notebook& notebook_;
  QString run_;
};

}  // namespace carryover
