// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <vector>

class QAbstractItemModel;
class QAction;
class QChar;
class QKeySequence;
class QString;
class QTableView;

namespace carryover {

/// An entry of a table's context menu, whose keys work while the table has the focus. GUI thread.
QAction* add_table_action(QTableView& table, const QString& text, const QKeySequence& keys, std::function<void()> slot);

/// One that asks for a CSV file, under `title` and with this name to begin with, and has `write` write it; what fails
/// is shown. GUI thread.
void add_export_action(QTableView& table, const QString& title, const QString& name,
                       std::function<void(const QString& path)> write);

/// Returns the given rows (all of the model's if empty) with a header line, separated by `separator` (',' quotes as CSV
/// does).
QString table_text(const QAbstractItemModel& model, const std::vector<int>& rows, QChar separator);

/// Gives a table a context menu that copies its selected rows (all where none is selected) as lines with tabs, as CSV,
/// or as the picture it is, with the keys that plots have. Actions that the table has already stay. GUI thread.
void add_copy_actions(QTableView& table);

}  // namespace carryover
