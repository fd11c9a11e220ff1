// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/notebook.h"

#include <QUndoCommand>
#include <QUndoStack>

namespace carryover {

class Notebook::Edit : public QUndoCommand {
 public:
  Edit(Notebook& notebook, std::vector<Bookmark> after, const QString& what)
      : QUndoCommand(what), notebook_(notebook), before_(notebook.bookmarks_), after_(std::move(after)) {}
  void undo() override { notebook_.set_bookmarks(before_); }
  void redo() override { notebook_.set_bookmarks(after_); }

 private:
  Notebook& notebook_;
  std::vector<Bookmark> before_, after_;
};

Notebook::Notebook(QUndoStack& undo, QObject* parent) : QObject(parent), undo_(undo) {}

void Notebook::set_text(const QString& text) {
  if (text == text_) return;
  text_ = text;
  Q_EMIT text_changed();
}

void Notebook::set_bookmarks(const std::vector<Bookmark>& bookmarks) {
  Q_EMIT bookmarks_about_to_change();
  bookmarks_ = bookmarks;
  Q_EMIT bookmarks_changed();
}

void Notebook::edit(std::vector<Bookmark> after, const QString& what) {
  if (after != bookmarks_) undo_.push(new Edit(*this, std::move(after), what));
}

void Notebook::add_bookmark(const Bookmark& bookmark) {
  std::vector<Bookmark> after = bookmarks_;
  after.push_back(bookmark);
  edit(std::move(after), tr("bookmark “%1”").arg(bookmark.name));
}

void Notebook::remove_bookmark(int index) {
  std::vector<Bookmark> after = bookmarks_;
  const QString name = after.at(static_cast<std::size_t>(index)).name;
  after.erase(after.begin() + index);
  edit(std::move(after), tr("remove bookmark “%1”").arg(name));
}

void Notebook::rename_bookmark(int index, const QString& name) {
  std::vector<Bookmark> after = bookmarks_;
  after.at(static_cast<std::size_t>(index)).name = name;
  edit(std::move(after), tr("rename bookmark"));
}

void Notebook::restore(const QString& text, const std::vector<Bookmark>& bookmarks) {
  set_text(text);
  set_bookmarks(bookmarks);
}

}  // namespace carryover
