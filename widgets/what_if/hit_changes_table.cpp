// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/hit_changes_table.h"

#include "widgets/look/theme.h"
#include "widgets/runs/state/prefix_text.h"

namespace carryover {

HitChangesTable::HitChangesTable(const std::function<QString(std::int64_t)>& text, QObject* parent)
    : ColumnTable(parent) {
  using Row = const HitChange&;
  set_columns({
      words(tr("Change"), [](Row row) { return row.gained ? tr("+ added") : tr("− removed"); })
          .coloured_by([](Row row) { return row.gained ? current_theme().carry : current_theme().anchor; }),
      figures(tr("Layer"), &HitChange::layer),
      figures(tr("Head"), &HitChange::head),
      figures(tr("Position"), [](Row row) { return static_cast<qlonglong>(row.hit.position); }),
      words(tr("Kind"), [](Row row) { return hit_kind_text(row.hit.kind); }),
      words(tr("Text"), [text](Row row) { return text ? text(row.hit.position) : QString(); }),
  });
}

}  // namespace carryover
