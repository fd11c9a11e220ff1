// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QLayout;
class QScrollArea;
class QTableView;
class QToolButton;
class QWidget;

/// Parts that pages of the lab have in common. GUI thread.
namespace carryover {

class WrappingBar;

/// `page` in an area that scrolls it down and is as wide as it. The name is for screen readers.
QScrollArea* scrolled(QWidget* page, const QString& name, QWidget* parent);
/// A row of controls, with the margins that all panels' rows have.
WrappingBar* control_bar();
/// A button with its icon and text, at the end of a row of controls.
QToolButton* add_button(QWidget* parent, WrappingBar* bar, const char* icon, const QString& text, const QString& help);
/// A field with its label in front and, where it has one, its button behind: in a WrappingBar no line break parts them.
QWidget* labelled(const QString& name, QWidget* field, QWidget* button, QWidget* parent);
/// `bar` on top of `body`, which takes the rest of `parent`.
void put_bar_above(QWidget* parent, QLayout* bar, QWidget* body);
/// Sets the look of the lab's tables: rows as a whole, no grid, short rows.
void prepare_table(QTableView& table, const QString& accessible_name);

}  // namespace carryover
