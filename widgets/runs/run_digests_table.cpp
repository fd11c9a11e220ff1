// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_digests_table.h"

#include "widgets/look/quantity_text.h"

namespace carryover {

RunDigestsTable::RunDigestsTable(RunDigests& runs, QObject* parent) : ColumnModel(parent), runs_(runs) {
  TableColumn<int> name = words(tr("Run"), [&runs](int row) { return runs.name(row); });
  name.ticked = [&runs](int row) { return runs.run(row).ticked; };
  name.tick = [&runs](int row, bool ticked) { runs.set_ticked(row, ticked); };
  const auto number = [](const std::optional<double>& value, int digits) {
    return value ? decimal_text(*value, digits) : QString();
  };
  const auto distances = [&runs](int row) { return sum_of(runs.run(row).heads); };
  set_columns({
      name,
      figures(tr("Tokens"), [&runs](int row) { return count_text(runs.run(row).tokens); }),
      figures(tr("PPL"), [&runs, number](int row) { return number(runs.run(row).ppl, 3); }),
      figures(tr("Hits"), [distances](int row) { return count_text(distances(row).total()); }),
      figures(tr("Median dist."), [distances, number](int row) { return number(distances(row).median(), 0); }),
  });
  follow(runs, &RunDigests::removed);
  connect(&runs, &RunDigests::names_changed, this, [this] { rows_changed(0, count() - 1); });
}

QVariant RunDigestsTable::row_data(int row, int role) const {
  return role == Qt::ToolTipRole ? runs_.run(row).details : QVariant();
}

}  // namespace carryover
