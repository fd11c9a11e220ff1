// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <map>

#include "app/controllers/audit_controller.h"
#include "app/controllers/head_profile_controller.h"
#include "app/controllers/run_controller.h"
#include "app/controllers/train_controller.h"
#include "app/controllers/what_if_controller.h"
#include "widgets/state/lab_context.h"

class QAction;
class QDockWidget;
class QMenu;
class QProgressBar;

namespace carryover {

class BenchDialog;
class IdentityBar;
class ContextRibbon;
class FinetuneDialog;
class MessageBar;
class Panel;
class PlotView;
class SessionKeeper;

/// The lab's window: toolbar, context ribbon, and a dock for each row of the panel registry. GUI thread.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  LabContext& context() { return context_; }
  RunController& controller() { return controller_; }
  TrainController& training() { return training_; }
  AuditController& audits() { return audits_; }
  WhatIfController& what_ifs() { return what_ifs_; }
  HeadProfileController& head_profiles() { return head_profiles_; }
  MessageBar& message_bar() { return *messages_; }
  ContextRibbon& ribbon() { return *ribbon_; }
  IdentityBar& identity() { return *identity_; }

  std::vector<QString> panel_ids() const;
  Panel* panel(const QString& id) const;
  QDockWidget* dock(const QString& id) const;  ///< null where there is no such panel
  void raise_panel(const QString& id);

  void ask_model();                              ///< the dialog: path, adapter, dtype and device
  void open_model(const ModelRequest& request);  ///< with its dtype and device from now on; the text is run
  /// Without loading the open model anew where dtype or device change: another one is opened next.
  void set_options_of_next_model(const RunOptions& options);
  void open_path(const QString& path);  ///< a model (folder, GGUF) or a text (runs when it is ready), or a folder of a
                                        ///< run or a bench
  void show_error(const ErrorReport& report);   ///< in the message bar and the log
  void export_plots(const QString& directory);  ///< every panel's plots in every format; errors go to the message bar
  /// The same, and a report (HTML or PDF by its suffix: the pictures, settings and numbers). Throw EngineError.
  void write_plots(const QString& directory);
  void write_report(const QString& path);
  /// A plot by its id, or a panel's first by the panel's, up to date. Throws EngineError{Usage} naming all plots.
  PlotView& plot(const QString& name);
  void show_fetch_progress(double fraction, const QString& what);
  void toggle_theme();
  FinetuneDialog* finetune() const;  ///< null where it is not open
  FinetuneDialog* open_finetune();   ///< the dialog, filled in from what is open; the same one while it is open
  BenchDialog* bench() const;        ///< null where it is not open
  BenchDialog* open_bench();         ///< the dialog; the same one while it is open
  /// Whoever keeps this window's sessions; null where nobody does. It says so itself.
  SessionKeeper* session_keeper() const { return session_keeper_; }
  void set_session_keeper(SessionKeeper* keeper) { session_keeper_ = keeper; }

 Q_SIGNALS:
  void session_wanted(const QString& path);  ///< a session file was dropped or opened

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QDockWidget* make_dock(const QString& id, const QString& title, Panel* panel);
  void build_docks();
  void build_toolbar();
  void build_status_widgets();
  QMenu* build_export_menu();
  QAction* add_action(class QToolBar* bar, const QString& icon, const QString& text, const QKeySequence& key,
                      const QString& help);
  void connect_state();
  void connect_training();
  void connect_audits();
  void connect_head_discovery();
  void connect_engine();
  void build_engine_menu(QMenu* models);
  void tell_bench_of_model();
  void ask_engine();
  void connect_what_ifs();
  TrainingPlan suggested_plan() const;
  QString why_engine_is_busy() const;  ///< empty: a training or an audit can start
  void pause_or_resume();
  void stop_engine();
  void show_training_progress();
  void update_actions();
  void update_status();
  void follow();
  void step_segment(int step);
  void ask_text();
  void ask_paste();
  void ask_run();
  void ask_export(const QString& title, const QString& path, const QString& filter,
                  const std::function<void(const QString&)>& write);
  void show_keys();

  LabContext context_;
  EngineConnection engine_;  ///< outlives what posts to it
  ModelLoader loader_;
  RunController controller_;
  TrainController training_;             ///< after controller_, whose engine it uses
  AuditController audits_;               ///< as training_
  HeadProfileController head_profiles_;  ///< as training_
  InspectController inspections_;        ///< as training_
  WhatIfController what_ifs_;            ///< after inspections_, whose worker it uses
  QPointer<FinetuneDialog> finetune_;
  QPointer<BenchDialog> bench_;
  SessionKeeper* session_keeper_ = nullptr;
  IdentityBar* identity_;
  ContextRibbon* ribbon_;
  MessageBar* messages_;
  std::map<QString, Panel*> panels_;
  std::map<QString, QDockWidget*> docks_;
  QAction *run_ = nullptr, *pause_ = nullptr, *stop_ = nullptr, *previous_ = nullptr, *next_ = nullptr;
  QAction *engine_here_ = nullptr, *reconnect_ = nullptr;
  QAction *back_ = nullptr, *forward_ = nullptr, *follow_ = nullptr, *save_ = nullptr, *pin_ = nullptr;
  bool arranged_ = false;  ///< the docks have had their first sizes
  bool opening_ = false;   ///< a model is about to be opened: dtype and device are of that one
  QProgressBar *progress_ = nullptr, *memory_ = nullptr;
};

}  // namespace carryover
