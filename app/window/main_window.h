// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>

#include "app/controllers/lab.h"
#include "app/window/export_menu.h"
#include "app/window/identity_bar.h"
#include "app/window/lab_dialogs.h"
#include "app/window/lab_menus.h"
#include "app/window/lab_toolbar.h"
#include "app/window/message_bar.h"
#include "app/window/panel_docks.h"
#include "app/window/status_meters.h"
#include "widgets/runs/context_ribbon.h"

namespace carryover {

/// The lab's window: toolbar, context ribbon and docks, put together around a Lab. GUI thread.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);

  Lab& lab() { return lab_; }
  LabDialogs& dialogs() { return dialogs_; }
  MessageBar& message_bar() { return messages_; }
  StatusMeters& meters() { return meters_; }
  IdentityBar& identity() { return identity_; }
  ContextRibbon& ribbon() { return ribbon_; }
  PanelDocks& docks() { return docks_; }
  ExportMenu& exports() { return exports_; }
  LabMenus& menus() { return menus_; }

  void open_path(const QString& path);  ///< a model (folder, GGUF) or a text (runs when it is ready), a document's
                                        ///< state, or a folder of a run, an experiment, an evaluation or a bench
  void show_error(const ErrorReport& report);    ///< in the message bar and the log
  void restore_layout(const QByteArray& state);  ///< as saveState() left it; of an earlier version too
  void toggle_theme();

 Q_SIGNALS:
  void session_wanted(const QString& path);  ///< a session file was dropped or opened

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool event(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;              ///< the rows of panels keep their shares of the height
  bool focusNextPrevChild(bool next) override;                 ///< by the tab key: past what another panel's tab covers
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< of the bar with ribbon and messages

 private:
  void add_ribbon();
  void unhighlight_buttons();

  Lab lab_;  ///< before its views, which go first
  LabDialogs dialogs_{lab_, this};
  MessageBar messages_{this};  ///< from here on in the order of the tab key
  LabToolbar toolbar_{lab_, dialogs_, *this};
  StatusMeters meters_{lab_, toolbar_};
  IdentityBar identity_{lab_, this};
  ContextRibbon ribbon_{lab_.context, this};
  PanelDocks docks_{lab_.context, *this};
  ExportMenu exports_{lab_, docks_, messages_, this};
  LabMenus menus_{*this, toolbar_, dialogs_, docks_, exports_};
  bool arranged_ = false;  ///< the docks were given their first sizes
  bool settled_ = false;   ///< and have them
  bool refused_ = false;   ///< the error shown says that the engine was busy
};

}  // namespace carryover
