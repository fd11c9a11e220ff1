// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <vector>

#include "widgets/lab/lab_context.h"

class QUndoStack;

namespace carryover {

/// A selection worth coming back to.
struct Bookmark {
  QString name;
  Selection place;
  QString run = {};  ///< the id of the run that the place is of; empty: of any
  bool operator==(const Bookmark&) const = default;
};

/// The notes that a person makes beside a run: a text and bookmarks. Changes of bookmarks go on the undo stack. GUI
/// thread.
class Notebook : public QObject {
  Q_OBJECT
 public:
  explicit Notebook(QUndoStack& undo, QObject* parent = nullptr);

  const QString& text() const { return text_; }
  void set_text(const QString& text);  ///< whoever edits it has an undo of its own
  const std::vector<Bookmark>& bookmarks() const { return bookmarks_; }
  bool is_empty() const { return text_.isEmpty() && bookmarks_.empty(); }
  void add_bookmark(const Bookmark& bookmark);
  void remove_bookmark(int index);
  void rename_bookmark(int index, const QString& name);
  void restore(const QString& text, const std::vector<Bookmark>& bookmarks);  ///< not undoable: another session

 Q_SIGNALS:
  void text_changed();
  void bookmarks_about_to_change();
  void bookmarks_changed();

 private:
  class Edit;
  void set_bookmarks(const std::vector<Bookmark>& bookmarks);
  void edit(std::vector<Bookmark> after, const QString& what);

  QUndoStack& undo_;
  QString text_;
  std::vector<Bookmark> bookmarks_;
};

}  // namespace carryover
