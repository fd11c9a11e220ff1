// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QIcon>

namespace carryover {

void load_resources();  ///< before the first use of a file under ":/" that is no icon

/// An icon of resources/icons/ in the theme's text colour, also after a change of theme; sharp at any scale. GUI
/// thread.
QIcon themed_icon(const QString& name);
/// Returns the same icon in another colour, which has a meaning.
QIcon coloured_icon(const QString& name, const QColor& colour);

}  // namespace carryover
