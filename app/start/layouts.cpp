// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/layouts.h"

#include <QCoreApplication>
#include <QStringList>

#include "app/window/panel_docks.h"

namespace carryover {
namespace {

/// `wanted` in front, in this order; then what else stands in `area`.
QStringList first(const QStringList& wanted, PanelArea area) {
  QStringList ids = wanted;
  for (const QString& id : panels_of(area))
    if (!ids.contains(id)) ids += id;
  return ids;
}

QStringList with_plots(const PanelDocks& docks) {
  QStringList ids;
  for (const QString& id : docks.ids())
    if (!docks.panel(id)->plots().empty()) ids += id;
  return ids;
}

DockArrangement arrangement(const PanelDocks& docks, const QString& id) {
  if (id == QStringLiteral("train")) {
    return {{{{"grid", "runs"}, 20}, {{"training", "reach", "loss", "memory"}, 52}, {{"config"}, 28}},
            {{{"training_runs", "log", "notes"}, 100}},
            30};
  }
  if (id == QStringLiteral("measure")) {
    return {{{{"grid", "runs"}, 20},
             {{"head_discovery", "recall_heads", "evaluations", "experiments", "prompts"}, 52},
             {{"config", "hits"}, 28}},
            {{{"audit", "retrieval_recall", "distances", "log", "notes"}, 100}},
            30};
  }
  if (id == QStringLiteral("compare")) {
    return {{{{"grid", "runs"}, 20},
             {first({"compare", "retrieval_map"}, PanelArea::Centre), 50},
             {{"hits", "config"}, 30}},
            {{{"loss", "memory", "time"}, 50}, {{"training_runs", "notes", "log"}, 50}},
            36};
  }
  if (id == QStringLiteral("figure")) return {{{with_plots(docks), 72}, {{"hits", "notes"}, 28}}, {}, 0};
  return default_arrangement();
}

}  // namespace

const std::vector<LayoutPreset>& layout_presets() {
  static const std::vector<LayoutPreset> presets = {
      {QStringLiteral("inspect"), QCoreApplication::translate("Layouts", "Inspect")},
      {QStringLiteral("train"), QCoreApplication::translate("Layouts", "Train")},
      {QStringLiteral("measure"), QCoreApplication::translate("Layouts", "Measure")},
      {QStringLiteral("compare"), QCoreApplication::translate("Layouts", "Compare")},
      {QStringLiteral("figure"), QCoreApplication::translate("Layouts", "Paper figure")}};
  return presets;
}

void apply_layout(PanelDocks& docks, const QString& id) {
  docks.arrange(arrangement(docks, id));
}

}  // namespace carryover
