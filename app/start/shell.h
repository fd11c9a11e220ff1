// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPointer>

#include "app/saved_window/engine_consent.h"
#include "app/saved_window/session_keeper.h"
#include "app/saved_window/settings.h"
#include "app/window/main_window.h"

class QMenu;
class QMessageBox;

namespace carryover {

class GuideWindow;
class SessionHistory;
class StartPanel;

/// The parts of a window that belong to its user: the menu of sessions, recent files, layouts and help, the command
/// palette, and the question about unsaved work at the end. It adds itself to the window; a window without it is
/// complete, and touches no file of the user's. GUI thread. Must not outlive its window.
class Shell : public QObject {
  Q_OBJECT
 public:
  Shell(MainWindow& window, SettingsFile& settings, SessionKeeper& keeper, QObject* parent = nullptr);

  void open_palette();
  void open_guide();           ///< at the section of the focused panel
  GuideWindow* guide() const;  ///< null where it is not open
  StartPanel& start_panel() { return *start_; }
  /// Offers sessions whose windows did not close by themselves, and reports kept sessions that take much of the disk.
  /// Call it once the keeper has begun.
  void offer_left_sessions();
  SessionHistory* history() const;  ///< null where it is not open
  void apply_own_layout(const QString& name);
  void save_layout(const QString& name);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QAction* add(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> slot);
  QMenu* add_filled_menu(QMenu* menu, const QString& title, std::function<void(QMenu&)> fill);
  void build_menus();
  void update_title();
  void add_sessions(QMenu* menu);
  void add_recent(QMenu* menu);
  void open_recent(const RecentModel& model);
  void add_layouts(QMenu* menu);
  void add_languages(QMenu* menu);
  void add_questions(QMenu* menu);
  void remember_files();
  void keep_run_limit();
  void save_settings();
  void open_history();
  void tell_of_keeping();
  void ask_whether_to_lose_work();
  void tell_of_declined_engine(const QString& command);
  void open_session();
  void save_session(bool ask_for_name);
  void ask_session_name();
  void ask_whether_to_replace(const QString& path);
  void ask_layout_name();
  void set_language(const QString& language);
  template <typename Controller>
  bool may_stop(Controller& work, const QString& title);
  bool may_close();
  void close_for_good();
  void take_drops();
  QString where_focus_is() const;
  std::vector<struct Command> commands();

  MainWindow& window_;
  SettingsFile& settings_;
  const QString started_in_ = settings_.values.language;  ///< the language of this window
  SessionKeeper& keeper_;
  EngineConsent consent_;
  StartPanel* start_;  ///< in the window
  QPointer<GuideWindow> guide_;
  QPointer<SessionHistory> history_;
  QPointer<QMessageBox> stop_question_;  ///< about an experiment or an evaluation
  bool closing_ = false;                 ///< the question was answered
  bool closes_when_saved_ = false;       ///< it was answered with Save, and the file is being written
};

}  // namespace carryover
