// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/lab_menus.h"

#include <QDockWidget>
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
  file_ = add_menu(window, tr("&File"));
  file_->addActions({actions.model, actions.text, actions.paste, actions.finished_run});
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

  edit_ = add_menu(window, tr("&Edit"));
  edit_->addActions({actions.undo, actions.redo});
  edit_->addSeparator();
  edit_->addActions({actions.back, actions.forward});

  view_ = add_menu(window, tr("&View"));
  add_panels(view_->addMenu(tr("Inspect")), docks, PanelGroup::Inspect);
  add_panels(view_->addMenu(tr("Train")), docks, PanelGroup::Train);
  add_panels(view_->addMenu(tr("Measure")), docks, PanelGroup::Measure);
  view_->addSeparator();
  add_focus(window, docks, tr("Next panel"), Qt::Key_F6, 1);
  add_focus(window, docks, tr("Previous panel"), Qt::SHIFT | Qt::Key_F6, -1);
  view_->addSeparator();
  view_->addAction(actions.theme);

  QMenu* run = add_menu(window, tr("&Run"));
  run->addActions({actions.run, actions.pause, actions.stop});
  run->addSeparator();
  run->addActions({actions.previous, actions.next, actions.follow});
  run->addSeparator();
  run->addAction(actions.pin);

  QMenu* train = add_menu(window, tr("&Train"));
  train->addAction(actions.train);
  opens(train, tr("Experiment…"), [&dialogs] { dialogs.open_experiment({}); });
  train->addSeparator();
  add_panels(train, docks, PanelGroup::Train);

  QMenu* measure = add_menu(window, tr("&Measure"));
  opens(measure, tr("Benchmark…"), [&dialogs] { dialogs.open_bench(); });
  measure->addSeparator();
  add_panels(measure, docks, PanelGroup::Measure);

  help_ = add_menu(window, tr("&Help"));
  help_->addAction(actions.keys);
}

QMenu* LabMenus::add_menu(QMainWindow& window, const QString& title) {
  return window.menuBar()->addMenu(title);
}

void LabMenus::add_focus(QMainWindow& window, PanelDocks& docks, const QString& text, const QKeySequence& key,
                         int step) {
  QAction* action = view_->addAction(text);
  action->setShortcut(key);
  window.addAction(action);  // so that its key works while the menu is closed
  connect(action, &QAction::triggered, this, [&docks, step] { docks.focus_next(step); });
}

/// An entry shows its panel and gives it the focus, wherever it stands.
void LabMenus::add_panels(QMenu* menu, PanelDocks& docks, PanelGroup group) {
  for (const PanelEntry& entry : panel_registry()) {
    if (entry.group != group) continue;
    connect(menu->addAction(entry.title), &QAction::triggered, this, [&docks, id = entry.id] {
      docks.raise(id);
      docks.panel(id)->setFocus();
    });
  }
}

}  // namespace carryover
