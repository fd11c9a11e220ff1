// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/audit_table.h"

#include "widgets/look/icons.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

QString check_difference(const AuditCheck& check) {
  return scientific_text(check.difference, 2);
}

QString check_bound(const AuditCheck& check) {
  return check.bound == 0 ? AuditTable::tr("0 (equal)") : scientific_text(check.bound, 1);
}

QColor result_colour(const AuditCheck& check) {
  return check.passed() ? current_theme().carry : current_theme().anchor;
}

QIcon result_icon(const AuditCheck& check) {
  return coloured_icon(check.passed() ? QStringLiteral("passed") : QStringLiteral("failed"), result_colour(check));
}

}  // namespace

AuditTable::AuditTable(QObject* parent) : ColumnTable(parent) {
  using Row = const AuditCheck&;
  set_columns({
      words(tr("Result"), [](Row check) { return check.passed() ? tr("passed") : tr("FAILED"); })
          .coloured_by(result_colour)
          .marked_by(result_icon),
      words(tr("Check"), [](Row check) { return qstring(check.name); }),
      figures(tr("Difference"), check_difference).coloured_by([](Row check) {
        return check.passed() ? QVariant() : result_colour(check);
      }),
      figures(tr("Bound"), check_bound),
      figures(tr("Margin"),
              tr("Distance between the gradient of K and that of the nearest other K, on this model and text"),
              [](Row check) { return check.margin > 0 ? scientific_text(check.margin, 1) : QString(); }),
      words(tr("Measure"), [](Row check) { return qstring(check.measure); }),
  });
}

QVariant AuditTable::row_data(const AuditCheck& check, int role) const {
  if (role != Qt::ToolTipRole) return {};
  return tr("%1: %2 is %3, the bound is %4")
      .arg(qstring(check.name), qstring(check.measure), check_difference(check), check_bound(check));
}

}  // namespace carryover
