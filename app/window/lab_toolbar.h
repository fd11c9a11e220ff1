// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <QToolBar>
#include <functional>

#include "app/controllers/lab.h"
#include "app/window/toolbar_room.h"

class QToolButton;

namespace carryover {

class LabDialogs;

/// The actions of the window, for toolbar and menus.
struct LabActions {
  QAction *model, *text, *paste, *finished_run;
  QAction *open_state, *save_state, *close_state;  ///< of a document
  QList<QAction*> engine;                          ///< elsewhere, again, and in this program
  QAction *run, *pause, *stop, *train;
  QAction *previous, *next, *follow, *back, *forward, *undo, *redo, *pin;
  QAction *theme, *keys;
};

/// The window's actions with their keys, each enabled while it can be done. Everyday actions have a button with a name;
/// in a narrow window, the buttons for looking around lose theirs first. GUI thread. Must not outlive the lab.
class LabToolbar : public QToolBar {
  Q_OBJECT
 public:
  LabToolbar(Lab& lab, LabDialogs& dialogs, QMainWindow& window);
  void set_export_menu(QMenu* menu);
  const LabActions& actions() const { return actions_; }
  ToolbarRoom& room() { return room_; }

 Q_SIGNALS:
  void run_pinned();
  void theme_wanted();  ///< the other one

 private:
  QAction* make(const char* icon, const QString& text, const QKeySequence& key, const QString& help,
                const std::function<void()>& slot = {});
  void make_openings(LabDialogs& dialogs);
  void make_documents(LabDialogs& dialogs);
  void update_documents();
  void make_engine_openings(LabDialogs& dialogs);
  void make_engine_actions(LabDialogs& dialogs);
  void make_selection();
  void make_history();
  void add_buttons();
  void let_go_of_names(const QList<QToolButton*>& buttons);
  void connect_lab();
  void update_actions();
  void step_segment(int step);
  void show_keys();

  Lab& lab_;
  LabActions actions_{};
  QToolButton* exports_;
  ToolbarRoom room_{*this};
};

}  // namespace carryover
