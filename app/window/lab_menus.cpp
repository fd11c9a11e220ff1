// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/lab_menus.h"

#include <QMenuBar>

#include "app/window/export_menu.h"
#include "app/window/lab_dialogs.h"
#include "app/window/lab_toolbar.h"
#include "app/window/panel_docks.h"

namespace carryover {

LabMenus::LabMenus(QMainWindow& window, const LabToolbar& toolbar, LabDialogs& dialogs, PanelDocks& docks,
                   ExportMenu& exports)
    : QObject(&window) {
  const LabActions& actions = toolbar.actions();
  const auto opens = [this, &dialogs](QMenu* menu, const QString& text, auto open) {
    connect(menu->addAction(text), &QAction::triggered, &dialogs, open);
  };
  make_panel_actions(docks);
  file_ = window.menuBar()->addMenu(tr("&File"));
  file_->addActions({actions.model, actions.text, actions.paste, actions.finished_run});
  file_->addSeparator();
  file_->addActions({actions.open_state, actions.save_state, actions.close_state});
  file_->addSeparator();
  file_->addActions(actions.engine);
  file_->addSeparator();
  exports.setTitle(tr("Export"));
  file_->addMenu(&exports);
  end_of_file_ = file_->addSeparator();
  QAction* quit = file_->addAction(tr("Quit"));
  quit->setShortcut(QKeySequence::Quit);
  quit->setMenuRole(QAction::QuitRole);
  connect(quit, &QAction::triggered, &window, &QWidget::close);

  edit_ = window.menuBar()->addMenu(tr("&Edit"));
  edit_->addActions({actions.undo, actions.redo});
  edit_->addSeparator();
  edit_->addActions({actions.back, actions.forward});

  view_ = window.menuBar()->addMenu(tr("&View"));
  add_panels(view_->addMenu(tr("Inspect")), PanelGroup::Inspect);
  add_panels(view_->addMenu(tr("Train")), PanelGroup::Train);
  add_panels(view_->addMenu(tr("Measure")), PanelGroup::Measure);
  view_->addSeparator();
  add_focus(window, docks, tr("Next panel"), Qt::Key_F6, 1);
  add_focus(window, docks, tr("Previous panel"), Qt::SHIFT | Qt::Key_F6, -1);
  view_->addSeparator();
  view_->addAction(actions.theme);

  QMenu* run = window.menuBar()->addMenu(tr("&Run"));
  run->addActions({actions.run, actions.pause, actions.stop});
  run->addSeparator();
  run->addActions({actions.previous, actions.next, actions.follow});
  run->addSeparator();
  run->addAction(actions.pin);

  QMenu* train = window.menuBar()->addMenu(tr("&Train"));
  train->addAction(actions.train);
  opens(train, tr("Experiment…"), [&dialogs] { dialogs.open_experiment({}); });
  train->addSeparator();
  add_panels(train, PanelGroup::Train);

  QMenu* measure = window.menuBar()->addMenu(tr("&Measure"));
  opens(measure, tr("Evaluate…"), [&dialogs] { dialogs.open_evaluation(); });
  opens(measure, tr("Benchmark…"), [&dialogs] { dialogs.open_bench(); });
  measure->addSeparator();
  add_panels(measure, PanelGroup::Measure);

  help_ = window.menuBar()->addMenu(tr("&Help"));
  help_->addAction(actions.keys);
}

void LabMenus::add_focus(QMainWindow& window, PanelDocks& docks, const QString& text, const QKeySequence& key,
                         int step) {
  QAction* action = view_->addAction(text);
  action->setShortcut(key);
  window.addAction(action);  // so that its key works while the menu is closed
  connect(action, &QAction::triggered, this, [&docks, step] { docks.focus_next(step); });
}

/// An entry shows its panel and gives it the focus, wherever it stands.
void LabMenus::make_panel_actions(PanelDocks& docks) {
  auto* owner = new QObject(this);
  owner->setObjectName(no_commands_name);
  for (const PanelEntry& entry : panel_registry()) {
    auto* action = new QAction(docks.panel(entry.id)->title(), owner);
    connect(action, &QAction::triggered, this, [&docks, id = entry.id] {
      docks.raise(id);
      docks.panel(id)->setFocus();
    });
    panels_.emplace_back(entry.group, action);
  }
}

void LabMenus::add_panels(QMenu* menu, PanelGroup group) {
  for (const auto& [of, action] : panels_)
    if (of == group) menu->addAction(action);
}

}  // namespace carryover
