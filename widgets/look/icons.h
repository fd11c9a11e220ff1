// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QIcon>

class QAction;
class QAbstractButton;

namespace carryover {

void load_resources();  ///< before the first use of a file under ":/" that is no icon

/// An icon of resources/icons/ in the theme's text colour, sharp at any scale. GUI thread.
QIcon themed_icon(const QString& name);
/// Returns the same icon in another colour, which has a meaning.
QIcon coloured_icon(const QString& name, const QColor& colour);

/// Sets the icon now and again whenever the theme changes.
void set_themed_icon(QAction* action, const QString& name);
void set_themed_icon(QAbstractButton* button, const QString& name);
void refresh_themed_icons();  ///< called by whoever changes the theme

}  // namespace carryover
