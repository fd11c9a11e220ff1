// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAction>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <string>

#include "tests/support/demo_plan.h"
#include "tests/support/demo_window.h"
#include "tests/support/find_parts.h"
#include "tests/support/temp_dir.h"
#include "widgets/campaigns/experiments_panel.h"

namespace carryover::test {

/// Returns a plan of one training, and eight evaluations of it and of the model as it is.
inline nlohmann::json small_plan(int steps) {
  nlohmann::json plan = demo_plan();
  plan["lengths"] = {256};
  plan["seeds"] = {1};
  plan["recipes"].erase("lora");
  plan["recipes"]["all"]["max_steps"] = steps;
  plan["evaluations"].erase("random");
  plan["evaluations"].erase("full");
  return plan;
}

/// Returns a request that runs small_plan() into `out`.
inline ExperimentRequest small_request(const TempDir& temp, const std::string& out, int steps = 4) {
  const std::string plan = temp.file("plan-" + std::to_string(steps) + ".json");
  write_bytes(plan, small_plan(steps).dump());
  return {plan, out, {}};
}

/// A window with the panel of experiments in front.
struct ExperimentWindow {
  MainWindow window;
  ExperimentController& experiments = window.lab().experiments;
  ExperimentModel& model = experiments.model();
  ExperimentsPanel& panel = *static_cast<ExperimentsPanel*>(window.docks().panel("experiments"));

  explicit ExperimentWindow(const std::string& folder = {}) {
    experiments.process().set_program(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli"));
    window.resize(1400, 900);
    window.show();
    window.docks().raise("experiments");
    if (!folder.empty()) experiments.open(QString::fromStdString(folder));
  }
  /// Returns the row of the table whose cell is so.
  template <typename Is>
  QModelIndex row_of(const Is& is) const {
    for (int i = 0; i < model.count(); ++i)
      if (is(model.cell(i)))
        for (int row = 0; row < panel_rows(); ++row)
          if (source(row) == i) return index(row, CellColumn::Recipe);
    return {};
  }
  QAbstractItemModel& rows() const { return *panel.table().model(); }
  int panel_rows() const { return rows().rowCount(); }
  int source(int row) const {
    const auto& proxy = static_cast<const QSortFilterProxyModel&>(rows());
    return proxy.mapToSource(proxy.index(row, 0)).row();
  }
  QModelIndex index(int row, CellColumn column) const { return rows().index(row, static_cast<int>(column)); }
  QString cell(int row, CellColumn column) const { return index(row, column).data().toString(); }
  QAction* action(const QString& title) const {
    for (QAction* each : panel.table().actions())
      if (each->text() == title) return each;
    return nullptr;
  }
};

}  // namespace carryover::test
