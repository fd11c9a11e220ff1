// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace carryover {

/// Keeps the columns of `table`, which has its model, as wide as what they show: all of them when the model is reset,
/// and a column that values outgrow later. A column that the user has resized stays as it is until the next reset. No
/// column gets wider than the header's maximumSectionSize(). GUI thread.
void keep_columns_fitted(QTableView& table);

}  // namespace carryover
