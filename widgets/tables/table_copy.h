// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace carryover {

/// Gives a table a context menu that copies its selected rows (all where none is selected) as lines with tabs, as CSV,
/// or as the picture it is, with the keys that plots have. Actions that the table has already stay. GUI thread.
void add_copy_actions(QTableView& table);

}  // namespace carryover
