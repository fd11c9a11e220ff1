// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <string>

namespace carryover {

/// UTF-8 of the engine as text of the window.
inline QString qstring(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace carryover
