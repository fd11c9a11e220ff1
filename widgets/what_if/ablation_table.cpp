// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/ablation_table.h"

#include <cmath>

#include "widgets/look/quantity_text.h"
#include "widgets/text/state/text_units.h"

namespace carryover {

AblationTable::AblationTable(LabContext& context, QObject* parent)
    : ColumnModel(parent), what_ifs_(context.what_ifs()) {
  using Row = const AblatedHit&;
  const auto position = [](Row row) { return static_cast<double>(row.anchor.position); };
  const auto score = [](double value) { return significant_text(value, 5); };
  const auto nats = [](double value) { return signed_text(value, 5); };
  const auto change = [](double MeanInterval::*value) {
    return [value](Row row) { return row.done ? row.change.*value : std::nan(""); };
  };
  set_columns({
      numbers(tr("Layer"), tr("Layer"), index_text, [](Row row) { return row.anchor.layer; }),
      numbers(tr("Head"), tr("Query head"), index_text, [](Row row) { return row.anchor.head; }),
      numbers(tr("Position"), tr("Absolute position of the anchor"), index_text, position),
      numbers(tr("Slots"), tr("Ablated: the anchor and the positions expanded from it"), index_text,
              &AblatedHit::left_out),
      numbers(tr("Score"), tr("Raw dot product of the best query summary with the unrotated key"), score,
              &AblatedHit::score),
      numbers(
          tr("Δ loss"),
          tr("Mean loss of the segment without the hit minus the mean loss with it, in nats. Positive: the hit helped"),
          nats, change(&MeanInterval::mean)),
      numbers(tr("CI low"), tr("Lower bound of the 95 % bootstrap interval"), nats, change(&MeanInterval::low)),
      numbers(tr("CI high"), tr("Upper bound of the 95 % bootstrap interval"), nats, change(&MeanInterval::high)),
      words(tr("Text"), tr("Text around the position"),
            [&context](Row row) { return text_around(context.run(), row.anchor.position); })
          .sorted_by(position),
  });
  connect(&what_ifs_, &WhatIfs::ablation_reset, this, [this] { update_rows(false, count(), [] {}); });
  connect(&what_ifs_, &WhatIfs::ablation_changed, this, [this](int row) { rows_changed(row, row); });
}

}  // namespace carryover
