// SPDX-License-Identifier: GPL-3.0-or-later
// The part of RunController that keeps the run on show: what it is, where it comes from, and where it is saved.
#include "app/controllers/run_controller.h"

namespace carryover {

void RunController::begin_run(const RunDescription& description, const std::string& folder,
                              const std::shared_ptr<const Tokenizer>& tokenizer) {
  RunModel& run = context_.run();
  described_ = description;
  run.begin(description.model, description.request, tokenizer);
  if (described_.id.empty()) described_.id = run.origin().id;
  run.set_origin({described_.id, description.text, description.command_line, folder});
}

RunDescription RunController::describe_run() const {
  RunDescription description = described_;
  description.model = context_.run().model();
  description.request = context_.run().request();
  return description;
}

RunContents RunController::run_contents() const {
  const RunModel& run = context_.run();
  return {run.origin().folder, describe_run(), run.summary(), run.segments(), nullptr};
}

void RunController::show(const QString& name, const ModelInfo& model, const RunRequest& request,
                         const std::vector<std::shared_ptr<const SegmentSnapshot>>& segments) {
  if (state_ != State::Idle || !model_) return;
  RunDescription description;
  description.model = model;
  description.text = name.toStdString();
  description.request = request;
  begin_run(description, {}, model_->tokenizer);
  context_.run().append(segments);
  RunSummary summary = sum_up(context_.run().outline());
  summary.cancelled = false;  // there are no others
  context_.run().finish(summary);
}

void RunController::show_run(const RunContents& run, const std::shared_ptr<const Tokenizer>& tokenizer) {
  if (state_ != State::Idle) return;
  if (!model_) context_.set_model(run.description.model.config, run.description.request.config);
  begin_run(run.description, run.directory, tokenizer);
  context_.run().show(run.outline, run.segments);
  context_.run().finish(run.summary);
  context_.digests().add(context_.run());
}

void RunController::open_run(const QString& directory) {
  stop();
  begin_load();
  post([directory](EngineWorker& worker) { worker.open_run(directory); });
}

void RunController::show_opened(const RunContents& opened, const std::shared_ptr<const Tokenizer>& tokenizer) {
  show_run(opened, tokenizer);
  context_.add_note(tr("%1: run %2, %L3 segments%4")
                        .arg(QString::fromStdString(opened.directory), QString::fromStdString(opened.description.id))
                        .arg(opened.segments->count())
                        .arg(tokenizer ? QString() : tr("; its model is not here, so tokens have no text")));
  Q_EMIT run_opened();
}

void RunController::save_run(const QString& directory) {
  if (!context_.run().finished()) return;
  RunContents run = run_contents();
  run.directory = directory.toStdString();
  saving_ = run.description.id;
  post([run](EngineWorker& worker) { worker.save(run); });
}

}  // namespace carryover
