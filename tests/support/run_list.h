// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs as hands reach it, and work that fills it.
#pragma once
#include <QAction>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/support/window_states.h"
#include "widgets/runs/runs_panel.h"

namespace carryover::test {

inline bool run_now(Someone& someone) {
  RunController& runs = someone.window.lab().runs;
  if (!wait_for([&] { return runs.can_run(); })) return false;
  runs.run();
  return wait_for([&] { return runs.can_run() && someone.lab().run().finished(); });
}

inline bool run_text(Someone& someone, const QString& text, const QString& name) {
  QSignalSpy opened(&someone.window.lab().loader, &ModelLoader::text_opened);
  someone.window.lab().loader.open_pasted_text(text, name);
  return (opened.count() > 0 || opened.wait(patience_ms)) && run_now(someone);
}

inline bool train_for(Someone& someone, int steps) {
  TrainingPlan plan = endless_training(someone.folder);
  plan.training.max_steps = steps;
  someone.window.lab().training.start(plan);
  return wait_for([&] {
    const TrainingModel* training = someone.lab().training().current();
    return training != nullptr && training->state() == TrainingState::Finished && someone.window.lab().runs.can_run();
  });
}

inline bool run_what_if(Someone& someone) {
  WhatIfs& what_ifs = someone.lab().what_ifs();
  SegmentEdit edit;
  edit.no_carry = true;
  const std::size_t before = what_ifs.results().size();
  what_ifs.ask_run({1, {edit}}, QStringLiteral("no carry"));
  return wait_for([&] { return what_ifs.results().size() == before + 1 && !what_ifs.running(); });
}

/// The panel as hands reach it.
struct RunList {
  explicit RunList(Someone& someone)
      : window(someone.window),
        library(someone.lab().library()),
        panel(static_cast<RunsPanel*>(someone.window.docks().panel(QStringLiteral("runs")))),
        table(panel->findChild<QTableView*>()) {
    window.docks().raise(QStringLiteral("runs"));
    QCoreApplication::processEvents();
  }

  int row_of(const QString& place) const {
    for (int row = 0; row < table->model()->rowCount(); ++row)
      if (table->model()->index(row, 0).data(RunLibraryTable::place_role).toString() == place) return row;
    return -1;
  }
  QModelIndex cell(const QString& place, int column = RunLibraryTable::Name) const {
    return table->model()->index(row_of(place), column);
  }
  void choose(const QString& place) {
    table->setFocus();
    table->setCurrentIndex(cell(place));
    table->selectRow(row_of(place));
  }
  void tick(const QString& place, bool on = true) {
    table->model()->setData(cell(place), on ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
  }
  bool press(const QString& text) {
    for (QAction* action : table->actions()) {
      QString plain = action->text();
      if (plain.remove(u'&') != text) continue;
      if (!action->isEnabled()) return false;
      action->trigger();
      return true;
    }
    return false;
  }
  QToolButton* button(const QString& text) const {
    for (QToolButton* each : panel->findChildren<QToolButton*>())
      if (each->text() == text) return each;
    return nullptr;
  }
  /// Enter on its row, until it is on show.
  bool open(const QString& place) {
    choose(place);
    QSignalSpy opened(&window.lab().runs, &RunController::run_opened);
    QTest::keyClick(table, Qt::Key_Return);
    return (opened.count() > 0 || opened.wait(patience_ms)) && window.lab().runs.place() == place;
  }

  MainWindow& window;
  RunLibrary& library;
  RunsPanel* panel;
  QTableView* table;
};

inline QStringList places_of(const RunLibrary& library, ListedKind kind) {
  QStringList places;
  for (int i = 0; i < library.count(); ++i)
    if (library.run(i).kind == kind) places += library.run(i).place;
  return places;
}

inline const ListedRun& entry(const RunLibrary& library, const QString& place) {
  return library.run(library.index_of(place));
}

}  // namespace carryover::test
