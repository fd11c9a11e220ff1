// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/lab.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include "engine/policies/minference/minference_settings.h"

namespace carryover {

Lab::Lab() {
  connect(&runs, &RunController::failed, this, &Lab::failed);
  connect(&training, &TrainController::failed, this, &Lab::failed);
  connect(&training, &TrainController::dry_run_failed, this, &Lab::failed);
  connect(&experiments, &ExperimentController::failed, this, &Lab::failed);
  connect(&prompts, &PromptsController::failed, this, &Lab::failed);
  connect(&evaluations, &EvaluationController::failed, this, &Lab::failed);
  connect(&evaluations, &EvaluationController::model_wanted, this, &Lab::load_model);
  connect(&library, &LibraryController::failed, this, &Lab::failed);
  for (EngineJob* job : jobs()) connect(job, &EngineJob::failed, this, &Lab::failed);
  connect(
      &context.run(), &RunModel::unreadable, this,
      [this](const QString& where, const QString& problem, const QString& advice) {
        Q_EMIT failed({Fault::Io, where, problem, advice});
      },
      Qt::QueuedConnection);  // it is said while a view draws
  connect(&runs, &RunController::saved, &context, &LabContext::add_written);
  // dtype and device are fixed when a model is loaded.
  connect(&context, &LabContext::run_options_changed, this, [this, last = context.run_options()]() mutable {
    const RunOptions now = context.run_options();
    if (!opening_ && (now.dtype != last.dtype || now.device != last.device)) loader.reopen_model();
    last = now;
  });
  // The settings are those of the model that stays open, and not of the one that was refused.
  connect(&loader, &ModelLoader::model_refused, this, [this](DType dtype, Device device) {
    RunOptions options = context.run_options();
    options.dtype = dtype;
    options.device = device;
    set_options_of_next_model(options);
  });
  connect_document();
}

/// The engine keeps one text's state, which makes way for what it does next with other weights or another text.
void Lab::connect_document() {
  connect(&runs, &RunController::run_started, &documents, &DocumentController::close);
  connect(&loader, &ModelLoader::model_changed, &documents, &DocumentController::close);
  connect(&recall_heads, &EngineJob::started, &documents, &DocumentController::close);
  connect(&training, &TrainController::state_changed, &documents, [this] {
    if (training.active()) documents.close();
  });
}

void Lab::set_options_of_next_model(const RunOptions& options) {
  opening_ = true;
  context.set_run_options(options);
  opening_ = false;
}

void Lab::open_model(const ModelRequest& request) {
  load_model(request);
  runs.run_when_ready();
}

void Lab::load_model(const ModelRequest& request) {
  if (engine.refuse_when_busy()) return;  // before the settings say what the open model is not
  RunOptions options = context.run_options();
  options.dtype = request.dtype;
  options.device = request.device;
  set_options_of_next_model(options);
  loader.open_model(QString::fromStdString(request.path), QString::fromStdString(request.adapter));
}

void Lab::open_text(const QString& path) {
  loader.open_text(path);
  runs.run_when_ready();
}

void Lab::open_pasted_text(const QString& text) {
  loader.open_pasted_text(text);
  runs.run_when_ready();
}

void Lab::pause_or_resume() {
  if (training.active()) {
    const TrainingModel* run = training.training();
    run != nullptr && run->state() == TrainingState::Paused ? training.resume() : training.pause();
  } else {
    runs.state() == RunController::State::Paused ? runs.resume() : runs.pause();
  }
}

void Lab::stop_engine() {
  for (EngineJob* job : jobs())
    if (job->active()) return job->cancel();
  training.active() ? training.stop() : runs.stop();
}

EvaluationPlan Lab::suggested_evaluation() const {
  EvaluationPlan plan;
  plan.config = context.config();
  plan.dtype = dtype_name(context.run_options().dtype);
  plan.device = device_name(context.run_options().device);
  if (!why_no_evaluation().isEmpty()) return plan;
  plan.model = loader.model()->info.path;
  plan.adapter = loader.model()->info.adapter;
  return plan;
}

QString Lab::why_no_evaluation() const {
  if (!loader.model()) return tr("open a model first");
  if (!engine.command().isEmpty())
    return tr("the engine runs on another machine: evaluate there, with carryover-cli eval");
  return context.settings_problem();
}

TrainingPlan Lab::suggested_plan() const {
  TrainingPlan plan;
  plan.config = context.config();
  plan.config.of<MinferenceSettings>().head_patterns = {};  // nothing is trained under them
  plan.policy = context.run_options().policy;
  plan.dtype = context.run_options().dtype;
  if (plan.dtype == DType::Q8) plan.dtype = DType::Auto;  // 8 bits can't be trained
  plan.device = context.run_options().device;
  if (loader.model()) plan.model = loader.model()->info.path;
  const QString name = QDateTime::currentDateTime().toString(QStringLiteral("'carryover-train-'yyyyMMdd-HHmmss"));
  plan.output_dir = name.toStdString();
  if (!engine.command().isEmpty()) return plan;  // which knows none of this machine's paths
  if (const auto& text = loader.text(); text && QFileInfo::exists(text->name)) plan.data = {text->name.toStdString()};
  plan.output_dir = QDir::current().filePath(name).toStdString();
  return plan;
}

}  // namespace carryover
