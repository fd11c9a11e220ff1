// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QPalette>
#include <vector>

class QApplication;

namespace carryover {

enum class ThemeKind { Light, Dark };

/// Colours with a meaning, the same in every view, and what else a figure changes of a plot's look. GUI thread.
struct Theme {
  ThemeKind kind;
  QColor background, surface, text, muted, grid, accent;
  QColor anchor, expanded, padding;      ///< hit kinds
  QColor local, long_range, retrieving;  ///< head kinds: local; long elsewhere; long in a long-range layer
  QColor carry;
  std::vector<QColor> series;  ///< curves, colour-blind safe
  double text_points = 0;      ///< of a plot's labels; 0: the application's font
  double pen = 1;              ///< widths of a plot's lines are multiplied by it
  QPalette palette() const;
};
const Theme& current_theme();
Theme theme_of(ThemeKind kind);  ///< figures are exported in the light one whatever the window shows
void apply_theme(QApplication& application, ThemeKind kind);  ///< Fusion + our palette + pinned font families

}  // namespace carryover
