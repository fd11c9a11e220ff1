// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <QMenu>
#include <utility>
#include <vector>

#include "app/window/panel_registry.h"

namespace carryover {

class ExportMenu;
class LabDialogs;
class LabToolbar;
class PanelDocks;

/// The name of objects whose actions are no commands of the palette, because their owner adds better ones.
inline const QString no_commands_name = QStringLiteral("no_commands");

/// The menu bar: the toolbar's actions and those that it has no room for, and every panel by its kind of work. A shell
/// adds sessions, layouts and help to it. GUI thread. Must not outlive the objects that its actions use.
class LabMenus : public QObject {
  Q_OBJECT
 public:
  LabMenus(QMainWindow& window, const LabToolbar& toolbar, LabDialogs& dialogs, PanelDocks& docks, ExportMenu& exports);

  QMenu* file() const { return file_; }
  QMenu* edit() const { return edit_; }
  QMenu* view() const { return view_; }
  QMenu* help() const { return help_; }
  /// Returns the place for a shell's entries: before the last entries of the menu.
  QAction* end_of_file() const { return end_of_file_; }

 private:
  void make_panel_actions(PanelDocks& docks);
  void add_focus(QMainWindow& window, PanelDocks& docks, const QString& text, const QKeySequence& key, int step);
  void add_panels(QMenu* menu, PanelGroup group);

  QMenu *file_, *edit_, *view_, *help_;
  QAction* end_of_file_;
  std::vector<std::pair<PanelGroup, QAction*>> panels_;  ///< show a panel, in the registry's order
};

}  // namespace carryover
