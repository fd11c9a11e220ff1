// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/undo_keys.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextDocument>

namespace carryover {
namespace {

/// Returns true if the field itself has something that the key takes back.
bool has_own_step(const QWidget& field, bool redo) {
  if (const auto* line = qobject_cast<const QLineEdit*>(&field))
    return redo ? line->isRedoAvailable() : line->isUndoAvailable();
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(&field))
    return redo ? text->document()->isRedoAvailable() : text->document()->isUndoAvailable();
  return false;
}

}  // namespace

UndoKeys::UndoKeys(QWidget& form, Steps steps) : QObject(&form), form_(form), steps_(std::move(steps)) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool UndoKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
  const auto* field = qobject_cast<QWidget*>(watched);
  if (field == nullptr || (field != &form_ && !form_.isAncestorOf(field))) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool redo = key->matches(QKeySequence::Redo);
  if ((!redo && !key->matches(QKeySequence::Undo)) || has_own_step(*field, redo)) return false;
  if (!steps_.can(redo)) return false;
  event->accept();  // of ShortcutOverride: the key comes here next, and not to the window's own action
  if (event->type() == QEvent::KeyPress) steps_.take(redo);
  return true;
}

}  // namespace carryover
