// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <map>

#include "app/audit_controller.h"
#include "app/head_profile_controller.h"
#include "app/run_controller.h"
#include "app/train_controller.h"
#include "app/what_if_controller.h"
#include "widgets/lab_context.h"

class QAction;
class QDockWidget;
class QLabel;
class QMenu;
class QProgressBar;

namespace carryover {

class BenchDialog;
class ContextRibbon;
class FinetuneDialog;
class MessageBar;
class Panel;
class PlotView;

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

  std::vector<QString> panel_ids() const;
  Panel* panel(const QString& id) const;
  QDockWidget* dock(const QString& id) const;  ///< null where there is no such panel
  void raise_panel(const QString& id);

  void open_path(const QString& path);  ///< a model (folder, GGUF) or a text (runs when it is ready), or a folder of a
                                        ///< run or a bench
  void show_error(const ErrorReport& report);  ///< in the message bar and the log
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

 Q_SIGNALS:
  void session_wanted(const QString& path);  ///< a session file was dropped or opened

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

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
  void ask_model_there();
  QString engine_label() const;  ///< the engine's machine; empty where it is this program
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
  void ask_model();
  void ask_text();
  void ask_paste();
  void ask_run();
  void ask_export(const QString& title, const QString& path, const QString& filter,
                  const std::function<void(const QString&)>& write);
  void show_keys();

  LabContext context_;
  RunController controller_;
  TrainController training_;             ///< after controller_, whose engine it uses
  AuditController audits_;               ///< as training_
  HeadProfileController head_profiles_;  ///< as training_
  InspectController inspections_;        ///< as training_
  WhatIfController what_ifs_;            ///< after inspections_, whose worker it uses
  QPointer<FinetuneDialog> finetune_;
  QPointer<BenchDialog> bench_;
  ContextRibbon* ribbon_;
  MessageBar* messages_;
  std::map<QString, Panel*> panels_;
  std::map<QString, QDockWidget*> docks_;
  QAction *run_ = nullptr, *pause_ = nullptr, *stop_ = nullptr, *previous_ = nullptr, *next_ = nullptr;
  QAction *open_file_ = nullptr, *open_folder_ = nullptr, *open_there_ = nullptr, *engine_here_ = nullptr,
          *reconnect_ = nullptr;
  QAction *back_ = nullptr, *forward_ = nullptr, *follow_ = nullptr, *save_ = nullptr, *pin_ = nullptr;
  bool arranged_ = false;  ///< the docks have had their first sizes
  QLabel* what_ = nullptr;
  QProgressBar *progress_ = nullptr, *memory_ = nullptr;
};

}  // namespace carryover
