// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/layouts.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QStringList>
#include <algorithm>

#include "app/window/main_window.h"
#include "widgets/panels/panel.h"
#include "widgets/panels/panel_registry.h"

namespace carryover {
namespace {

/// Panels as tabs of one place, the first in front, and the place's share of its row.
struct Place {
  QStringList panels;
  int share;
};
struct Arrangement {
  std::vector<Place> top, bottom;
  int bottom_share = 30;  ///< % of the height
};

QStringList of_area(PanelArea area) {
  QStringList ids;
  for (const PanelEntry& entry : panel_registry())
    if (entry.area == area) ids += entry.id;
  return ids;
}

/// `wanted` in front, in this order, where there are such panels; then what else stands in `area`.
QStringList first(const QStringList& wanted, PanelArea area) {
  QStringList ids;
  for (const PanelEntry& entry : panel_registry())
    if (wanted.contains(entry.id)) ids += entry.id;
  std::sort(ids.begin(), ids.end(),
            [&](const QString& a, const QString& b) { return wanted.indexOf(a) < wanted.indexOf(b); });
  for (const QString& id : of_area(area))
    if (!ids.contains(id)) ids += id;
  return ids;
}

QStringList with_plots(MainWindow& window) {
  QStringList ids;
  for (const QString& id : window.panel_ids())
    if (!window.panel(id)->plots().empty()) ids += id;
  return ids;
}

Arrangement arrangement(MainWindow& window, const QString& id) {
  if (id == QStringLiteral("train")) {
    return {{{{"grid"}, 20}, {{"training", "reach", "loss", "memory"}, 52}, {{"config"}, 28}},
            {{{"training_runs", "audit", "log", "notes"}, 100}},
            34};
  }
  if (id == QStringLiteral("compare")) {
    return {{{{"grid"}, 20}, {first({"compare", "retrieval_map"}, PanelArea::Centre), 50}, {{"hits", "config"}, 30}},
            {{{"loss", "memory", "time"}, 50}, {{"training_runs", "notes", "log"}, 50}},
            36};
  }
  if (id == QStringLiteral("figure")) return {{{with_plots(window), 72}, {{"hits", "notes"}, 28}}, {}, 0};
  return {{{of_area(PanelArea::Left), 19}, {of_area(PanelArea::Centre), 49}, {of_area(PanelArea::Right), 32}},
          {{of_area(PanelArea::Bottom), 100}},
          30};
}

/// A tab names a panel already; alone, it needs a title bar.
void show_title(QDockWidget* dock, bool titled) {
  QWidget* own = dock->titleBarWidget();
  if (titled == (own == nullptr)) return;
  dock->setTitleBarWidget(titled ? nullptr : new QWidget(dock));
  delete own;
}

std::vector<QDockWidget*> take(MainWindow& window, const Place& place, QStringList& placed) {
  std::vector<QDockWidget*> docks;
  for (const QString& id : place.panels) {
    QDockWidget* dock = window.dock(id);
    if (dock == nullptr || placed.contains(id)) continue;
    placed += id;
    docks.push_back(dock);
  }
  return docks;
}

/// Puts a row's places side by side; gives back the first dock of each.
QList<QDockWidget*> arrange_row(MainWindow& window, const std::vector<Place>& row, Qt::DockWidgetArea area,
                                QStringList& placed, QList<int>& widths) {
  QList<QDockWidget*> fronts;
  for (const Place& place : row) {
    const auto docks = take(window, place, placed);
    if (docks.empty()) continue;
    if (fronts.isEmpty()) {
      window.addDockWidget(area, docks.front());
    } else {
      window.splitDockWidget(fronts.back(), docks.front(), Qt::Horizontal);
    }
    for (std::size_t i = 1; i < docks.size(); ++i) window.tabifyDockWidget(docks[i - 1], docks[i]);
    for (QDockWidget* dock : docks) {
      show_title(dock, docks.size() == 1);
      dock->show();
    }
    docks.front()->raise();
    fronts += docks.front();
    widths += window.width() * place.share / 100;
  }
  return fronts;
}

}  // namespace

const std::vector<LayoutPreset>& layout_presets() {
  static const std::vector<LayoutPreset> presets = {
      {QStringLiteral("inspect"), QCoreApplication::translate("Layouts", "Inspect")},
      {QStringLiteral("train"), QCoreApplication::translate("Layouts", "Train")},
      {QStringLiteral("compare"), QCoreApplication::translate("Layouts", "Compare")},
      {QStringLiteral("figure"), QCoreApplication::translate("Layouts", "Paper figure")}};
  return presets;
}

void apply_layout(MainWindow& window, const QString& id) {
  const Arrangement wanted = arrangement(window, id);
  window.setUpdatesEnabled(false);
  for (const QString& panel : window.panel_ids()) {
    QDockWidget* dock = window.dock(panel);
    dock->setFloating(false);
    window.removeDockWidget(dock);
  }
  QStringList placed;
  QList<int> top_widths, bottom_widths;
  const auto top = arrange_row(window, wanted.top, Qt::TopDockWidgetArea, placed, top_widths);
  const auto bottom = arrange_row(window, wanted.bottom, Qt::BottomDockWidgetArea, placed, bottom_widths);
  for (const QString& panel : window.panel_ids())  // hidden, but with a place to be shown in
    if (!placed.contains(panel)) {
      window.addDockWidget(Qt::TopDockWidgetArea, window.dock(panel));
      window.tabifyDockWidget(top.front(), window.dock(panel));
      show_title(window.dock(panel), false);
      window.dock(panel)->hide();
    }
  window.resizeDocks(top, top_widths, Qt::Horizontal);
  if (!bottom.isEmpty()) {
    window.resizeDocks(bottom, bottom_widths, Qt::Horizontal);
    const int height = std::max(220, window.height() * wanted.bottom_share / 100);
    window.resizeDocks({top.front(), bottom.front()}, {window.height() - height - 140, height}, Qt::Vertical);
  }
  window.setUpdatesEnabled(true);
}

}  // namespace carryover
