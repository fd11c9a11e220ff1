// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/recall_table.h"

#include "widgets/look/quantity_text.h"

namespace carryover {

RecallTable::RecallTable(QObject* parent) : ColumnTable(parent) {
  using Row = const HeadRecall&;
  const auto share = [](double value) { return percent_text(value, 1); };
  set_columns({
      numbers(tr("Layer"), tr("Layer"), index_text, [](Row row) { return row.head.layer; }),
      numbers(tr("Head"), tr("Query head"), index_text, [](Row row) { return row.head.head; }),
      numbers(tr("Recall@R"),
              tr("Share of the R positions with most attention over all searched positions that was retrieved"), share,
              &HeadRecall::recall),
      numbers(tr("Mass"), tr("Share of the attention over all searched positions that falls on retrieved positions"),
              share, &HeadRecall::mass),
      numbers(tr("Oracle mass"), tr("The same for the R positions with most attention: the maximum for R positions"),
              share, &HeadRecall::oracle_mass),
      numbers(tr("Missed"), tr("Oracle mass minus mass"), share, [](Row row) { return row.oracle_mass - row.mass; }),
  });
}

}  // namespace carryover
