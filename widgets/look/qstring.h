// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <string>

namespace carryover {

/// UTF-8 of the engine as text of the window.
inline QString qstring(const std::string& text) {
  return QString::fromStdString(text);
}

/// A line of at most so many characters of a text that may be anybody's.
inline QString shown_text(const std::string& text, qsizetype most = 600) {
  return qstring(text).left(most).simplified();
}

}  // namespace carryover
