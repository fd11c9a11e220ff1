// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/step_table.h"

#include <algorithm>

#include "widgets/look/quantity_text.h"

namespace carryover {

void StepTable::set(StepRows step) {
  std::vector<TableColumn<const StepRows::Row&>> columns;
  for (qsizetype i = 0; i < step.columns.size(); ++i)
    columns.push_back(words(step.columns[i], [i](const StepRows::Row& row) {
      const QVariant& cell = row.cells[i];
      return cell.typeId() == QMetaType::Double ? significant_text(cell.toDouble(), 6) : cell;
    }));
  update_rows(false, static_cast<int>(step.rows.size()), [&] {
    set_columns(std::move(columns));
    rows_ = std::move(step.rows);
  });
}

int StepTable::row_of(std::int64_t position) const {
  const auto found = std::ranges::find(rows_, position, &StepRows::Row::position);
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

}  // namespace carryover
