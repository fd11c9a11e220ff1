// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <QMenu>
#include <functional>

#include "widgets/panels/panel_registry.h"

namespace carryover {

class ExportMenu;
class LabDialogs;
class LabToolbar;
class PanelDocks;

/// The menu bar: what the toolbar has and what it has no room for, and every panel by the kind of work it is for. A
/// shell adds sessions, layouts and help to it. GUI thread. Lives shorter than what its actions do.
class LabMenus : public QObject {
  Q_OBJECT
 public:
  LabMenus(QMainWindow& window, const LabToolbar& toolbar, LabDialogs& dialogs, PanelDocks& docks, ExportMenu& exports);

  QMenu* file() const { return file_; }
  QMenu* edit() const { return edit_; }
  QMenu* view() const { return view_; }
  QMenu* help() const { return help_; }
  /// Where a shell's entries go: before what closes each menu.
  QAction* end_of_file() const { return end_of_file_; }

 private:
  QMenu* add_menu(QMainWindow& window, const QString& title);
  void add_focus(QMainWindow& window, PanelDocks& docks, const QString& text, const QKeySequence& key, int step);
  void add_panels(QMenu* menu, PanelDocks& docks, PanelGroup group);

  QMenu *file_, *edit_, *view_, *help_;
  QAction* end_of_file_;
};

}  // namespace carryover
