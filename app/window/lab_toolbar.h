// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <QToolBar>
#include <functional>

#include "app/controllers/lab.h"

class QToolButton;

namespace carryover {

class LabDialogs;

/// The window's actions with their keys, enabled while they can be done. GUI thread. Lives shorter than the lab.
class LabToolbar : public QToolBar {
  Q_OBJECT
 public:
  LabToolbar(Lab& lab, LabDialogs& dialogs, QMainWindow& window);
  void set_export_menu(QMenu* menu);

 Q_SIGNALS:
  void run_pinned();
  void theme_wanted();  ///< the other one

 private:
  QAction* add(const char* icon, const QString& text, const QKeySequence& key, const QString& help,
               const std::function<void()>& slot = {});
  void show_text(QAction* action);  ///< beside its icon
  void add_openings(LabDialogs& dialogs);
  void add_engine_actions(LabDialogs& dialogs);
  void add_selection();
  void connect_lab();
  void update_actions();
  void step_segment(int step);
  void show_keys();

  Lab& lab_;
  QAction *run_, *pause_, *stop_, *previous_, *next_, *follow_, *back_, *forward_, *pin_;
  QToolButton* exports_;
};

}  // namespace carryover
