// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/passages_table.h"

#include "widgets/look/quantity_text.h"

namespace carryover {

PassagesTable::PassagesTable(QObject* parent) : ColumnTable(parent) {
  using Row = const PassageRow&;
  const auto score = [](double value) { return decimal_text(value, 2); };
  const auto nats = [](double change) { return signed_text(change, 3); };
  const auto share = [](double probability) { return probability < 0 ? QString() : probability_text(probability); };
  set_columns({
      numbers(tr("Score"), tr("Its window's mean score, or its anchor's"), score,
              [](Row row) { return row.passage.score; }),
      numbers(tr("Segment"), tr("Segment that contains it"), index_text, &PassageRow::segment),
      numbers(tr("Position"), tr("Position of its first token"), index_text, [](Row row) { return row.passage.first; }),
      words(tr("Passage"), tr("Retrieved text"), &PassageRow::text).tipped_by_text(),
      numbers(tr("Δ loss"),
              tr("Mean loss of the reading segment without the passage minus with it, in nats; measured by Remove"),
              nats, &PassageRow::change),
      numbers(tr("Δ token"), tr("The same for the selected token"), nats, &PassageRow::token_change),
      numbers(tr("Without it"), tr("Probability of the answer's first phrase without the passage; measured by Remove"),
              share, &PassageRow::without),
      numbers(tr("Alone"), tr("The same with this passage alone; measured by Only this one"), share,
              &PassageRow::alone),
  });
}

}  // namespace carryover
