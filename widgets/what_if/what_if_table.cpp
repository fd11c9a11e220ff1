// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/what_if_table.h"

#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {

WhatIfTable::WhatIfTable(LabContext& context, QObject* parent)
    : ColumnModel(parent), what_ifs_(context.what_ifs()), rows_(static_cast<int>(what_ifs_.results().size())) {
  using Row = const WhatIfResult&;
  const auto logit = [](Row row) {
    return row.prediction ? signed_text(row.prediction->logit_change(), 4) : QString();
  };
  const auto logit_tip = [](Row row) { return row.prediction ? prediction_text(*row.prediction) : QString(); };
  TableColumn<Row> name = words(tr("Name"), tr("Double-click or press F2 to change it"), &WhatIfResult::name);
  name.edit = [this](int row, const QString& text) { return rename(row, text); };
  set_columns({
      name.tipped_by_text(),
      figures(tr("Segment"), tr("The segment that was run again"),
              [](Row row) { return QString::number(row.segment); }),
      figures(tr("Δ loss"), tr("Mean over the segment's targets, in nats. Positive: worse"),
              [](Row row) { return signed_text(row.change.mean, 4); }),
      figures(tr("CI low"), tr("Lower bound of the 95 % interval: paired bootstrap over blocks of 32 tokens"),
              [](Row row) { return bound_texts(row).first; }),
      figures(tr("CI high"), tr("Upper bound of the 95 % interval: paired bootstrap over blocks of 32 tokens"),
              [](Row row) { return bound_texts(row).second; }),
      figures(tr("Δ logit"), tr("Change of the selected token's logit; with a foil, of that logit minus the foil's"),
              logit)
          .tipped_by(logit_tip),
      figures(tr("Hits"), tr("Hits that only one of the two has"),
              [](Row row) { return QString::number(row.changes.size()); }),
      words(tr("Run"), tr("Run that the segment belongs to, with its text and model"),
            [](Row row) { return run_name_in(row.provenance); })
          .tipped_by_text(),
      words(tr("What if"), tr("What was changed"), [](Row row) { return edit_text(row.edit, row.run_config); })
          .tipped_by_text(),
  });
  connect(&what_ifs_, &WhatIfs::results_changed, this, &WhatIfTable::update);
}

/// The list signals that it changed, not how: one that is as long as before has a new name, and one that is longer by
/// one has a new what-if at its end.
void WhatIfTable::update() {
  const int now = static_cast<int>(what_ifs_.results().size());
  update_rows(now == rows_ || now == rows_ + 1, now, [&] { rows_ = now; });
}

bool WhatIfTable::rename(int row, const QString& name) {
  if (name.trimmed().isEmpty()) return false;
  what_ifs_.rename(row, name);
  return true;
}

}  // namespace carryover
