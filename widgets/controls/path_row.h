// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <functional>

class QFormLayout;
class QLineEdit;
class QToolButton;
class QWidget;

/// Fields for paths, with a button that asks for one. GUI thread.
namespace carryover {

/// Asks for a path, given the field's; empty: none was chosen.
using AskPath = std::function<QString(const QString& now)>;

/// The button of a field that is called `label`. A path that was chosen counts as typed (QLineEdit::isModified).
QToolButton* browse_button(QLineEdit* field, const QString& label, const AskPath& ask, QWidget* parent);
/// A new row of a form: the field and its button.
QLineEdit* add_path_row(QFormLayout& rows, const QString& label, const QString& help, const AskPath& ask);

}  // namespace carryover
