// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace carryover {

// Names that come from outside, where Qt reads signs in a text. Any thread.

/// `name` on one line.
inline QString one_line(QString name) {
  for (QChar& letter : name)
    if (letter.category() == QChar::Other_Control) letter = u' ';
  return name;
}

/// Returns the name for an action, a button, a tab or the label of a field: an & is no shortcut, and a tab begins no
/// column.
inline QString action_text(const QString& name) {
  return one_line(name).replace(QLatin1Char('&'), QLatin1String("&&"));
}

/// Returns the name for a window's title: [*] is no mark of unsaved changes.
inline QString title_text(const QString& name) {
  return one_line(name).replace(QLatin1String("[*]"), QLatin1String("[*][*]"));
}

}  // namespace carryover
