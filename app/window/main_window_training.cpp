// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that trains, audits and asks what if: the dialog, the panels' wishes, and what the toolbar
// shows meanwhile.
#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QProgressBar>

#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "widgets/forms/finetune_dialog.h"
#include "widgets/panels/audit_panel.h"
#include "widgets/panels/training_panel.h"
#include "widgets/panels/training_runs_panel.h"

namespace carryover {

void MainWindow::connect_training() {
  connect(&training_, &TrainController::state_changed, this, &MainWindow::update_actions);
  connect(&training_, &TrainController::state_changed, this, &MainWindow::update_status);
  connect(&training_, &TrainController::failed, this, &MainWindow::show_error);
  connect(&training_, &TrainController::dry_run_failed, this, &MainWindow::show_error);
  auto* live = static_cast<TrainingPanel*>(panel(QStringLiteral("training")));
  connect(live, &TrainingPanel::pause_wanted, &training_, &TrainController::pause);
  connect(live, &TrainingPanel::resume_wanted, &training_, &TrainController::resume);
  connect(live, &TrainingPanel::stop_wanted, &training_, &TrainController::stop);
  auto* runs = static_cast<TrainingRunsPanel*>(panel(QStringLiteral("training_runs")));
  connect(runs, &TrainingRunsPanel::finetune_wanted, this, &MainWindow::open_finetune);
  connect(runs, &TrainingRunsPanel::open_wanted, &training_, &TrainController::open_folder);
  connect(runs, &TrainingRunsPanel::resume_wanted, &training_, &TrainController::resume_run);
  connect(&context_.training(), &TrainingRuns::added, this, [this] { raise_panel(QStringLiteral("training")); });
}

void MainWindow::connect_audits() {
  auto* audit = static_cast<AuditPanel*>(panel(QStringLiteral("audit")));
  connect(audit, &AuditPanel::audit_wanted, &audits_, &AuditController::start);
  connect(audit, &AuditPanel::cancel_wanted, &audits_, &AuditController::cancel);
  connect(&audits_, &AuditController::started, audit, &AuditPanel::begin);
  connect(&audits_, &AuditController::progressed, audit, &AuditPanel::set_progress);
  connect(&audits_, &AuditController::done, audit, &AuditPanel::show_report);
  connect(&audits_, &AuditController::ended, audit, &AuditPanel::end);
  connect(&audits_, &AuditController::failed, this, &MainWindow::show_error);
  const auto tell = [this, audit] {
    const auto& text = loader_.text();
    audit->set_text(text ? text->name : QString(), text ? std::ssize(*text->ids) : 0);
    const QString busy = why_engine_is_busy();
    audit->set_engine_busy(busy.isEmpty() ? context_.settings_problem() : busy);
  };
  connect(&controller_, &RunController::state_changed, audit, tell);
  connect(&loader_, &ModelLoader::model_changed, audit, tell);
  connect(&loader_, &ModelLoader::text_opened, audit, tell);
  tell();
}

void MainWindow::connect_what_ifs() {
  connect(&what_ifs_, &WhatIfController::failed, this, &MainWindow::show_error);
  connect(&context_.what_ifs(), &WhatIfs::state_changed, this, &MainWindow::update_actions);
}

TrainingPlan MainWindow::suggested_plan() const {
  TrainingPlan plan;
  plan.config = context_.config();
  plan.policy = context_.run_options().policy;
  plan.dtype = context_.run_options().dtype;
  if (plan.dtype == DType::Q8) plan.dtype = DType::Auto;  // 8 bits can't be trained
  plan.device = context_.run_options().device;
  if (const auto& model = loader_.model()) plan.model = model->info.path;
  const QString name = QDateTime::currentDateTime().toString(QStringLiteral("'carryover-train-'yyyyMMdd-HHmmss"));
  plan.output_dir = name.toStdString();
  if (!engine_.command().isEmpty()) return plan;  // which knows none of this machine's paths
  if (const auto& text = loader_.text(); text && QFileInfo::exists(text->name)) plan.data = {text->name.toStdString()};
  plan.output_dir = QDir::current().filePath(name).toStdString();
  return plan;
}

FinetuneDialog* MainWindow::finetune() const {
  return finetune_;
}

FinetuneDialog* MainWindow::open_finetune() {
  if (!finetune_) {
    finetune_ = new FinetuneDialog(suggested_plan(), this);
    finetune_->setAttribute(Qt::WA_DeleteOnClose);
    if (engine_.elsewhere() && loader_.model()) {
      const ModelInfo& open = loader_.model()->info;
      finetune_->set_elsewhere(open.path, open.config);
    }
    const auto tell_busy = [this] {
      if (finetune_) finetune_->set_engine_busy(why_engine_is_busy());
    };
    connect(&training_, &TrainController::state_changed, finetune_, tell_busy);
    connect(&controller_, &RunController::state_changed, finetune_, tell_busy);
    connect(&training_, &TrainController::dry_run_done, finetune_,
            [this](const DryRun& result) { finetune_->show_dry_run(result.step); });
    connect(&training_, &TrainController::dry_run_failed, finetune_,
            [this](const ErrorReport& report) { finetune_->show_dry_run_problem(report.problem); });
    connect(finetune_, &FinetuneDialog::start_wanted, &training_, &TrainController::start);
    connect(finetune_, &FinetuneDialog::dry_run_wanted, &training_, &TrainController::dry_run);
    const auto tell_adapter = [this] {
      const auto& model = loader_.model();
      const QString adapter = model ? QString::fromStdString(model->info.adapter) : QString();
      finetune_->set_remark(adapter.isEmpty()
                                ? adapter
                                : tr("The model is trained without the adapter that is open: %1. To train "
                                     "over it, export the merged model first.")
                                      .arg(adapter));
    };
    connect(&loader_, &ModelLoader::model_changed, finetune_, tell_adapter);
    tell_busy();
    tell_adapter();
  }
  finetune_->show();
  finetune_->raise();
  finetune_->activateWindow();
  return finetune_;
}

QString MainWindow::why_engine_is_busy() const {
  if (!engine_.busy().isEmpty()) return engine_.busy();
  if (controller_.state() != RunController::State::Idle) return tr("a run is using the engine");
  return loader_.loading() ? tr("a model or a text is being loaded") : QString();
}

void MainWindow::pause_or_resume() {
  if (training_.active()) {
    const TrainingModel* run = training_.training();
    run != nullptr && run->state() == TrainingState::Paused ? training_.resume() : training_.pause();
  } else {
    controller_.state() == RunController::State::Paused ? controller_.resume() : controller_.pause();
  }
}

void MainWindow::stop_engine() {
  if (audits_.active()) return audits_.cancel();
  if (head_profiles_.active()) return head_profiles_.cancel();
  if (what_ifs_.active()) return what_ifs_.cancel();
  training_.active() ? training_.stop() : controller_.stop();
}

void MainWindow::show_training_progress() {
  const TrainingModel* run = training_.training();
  if (run == nullptr) return progress_->setFormat(tr("dry run"));
  if (run->step_count() == 0) {
    progress_->setValue(static_cast<int>(1000 * run->progress()));
    return progress_->setFormat(run->progress_text());
  }
  const double step = run->column(TrainingColumn::Step).back();
  const auto all = static_cast<double>(run->plan().training.max_steps);
  progress_->setValue(static_cast<int>(1000 * (step + run->progress()) / all));
  progress_->setFormat(
      run->state() == TrainingState::Running
          ? tr("step %L1/%L2 · %L3 tok/s")
                .arg(step, 0, 'f', 0)
                .arg(all, 0, 'f', 0)
                .arg(run->column(TrainingColumn::TokensPerSecond).back(), 0, 'f', 0)
          : tr("step %L1/%L2 · %3").arg(step, 0, 'f', 0).arg(all, 0, 'f', 0).arg(training_state_name(run->state())));
}

}  // namespace carryover
