// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/panel.h"
#include "widgets/text/bookmarks_model.h"

class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace carryover {

/// A text of one's own beside the run, and bookmarks of selections; both are kept with the session and in a saved run's
/// folder. GUI thread.
class NotesPanel : public Panel {
  Q_OBJECT
 public:
  explicit NotesPanel(LabContext& context, QWidget* parent = nullptr);

 public Q_SLOTS:
  void add_bookmark();  ///< of what is selected

 protected:
  void refresh() override;

 private:
  QWidget* make_bookmarks();
  void make_table();
  void remove_bookmarks();

  BookmarksModel model_;
  QPlainTextEdit* text_;
  QTableView* table_;
  QPushButton* add_ = nullptr;
};

/// A bookmark of the selection, named by where it is and the text there; unset where nothing is selected.
Bookmark bookmark_of(const RunModel& run, const Selection& selection);

}  // namespace carryover
