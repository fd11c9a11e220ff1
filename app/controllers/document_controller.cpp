// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/document_controller.h"

#include <QFileInfo>

#include "app/engine_thread/post.h"

namespace carryover {
namespace {

QString absolute_here(const EngineConnection& engine, const QString& file) {
  return engine.command().isEmpty() ? QFileInfo(file).absoluteFilePath() : file;
}

}  // namespace

DocumentController::DocumentController(LabContext& context, RunController& runs, const AskController& questions)
    : EngineJob(context, runs),
      questions_(questions),
      worker_(with(new DocumentWorker(runs.engine().worker()), tr("The document's state was cancelled"))) {
  connect(worker_, &DocumentWorker::opened, this, &DocumentController::accept);
  connect(worker_, &DocumentWorker::saved, this, [this](const QString& file) {
    release();
    if (!runs_.engine().command().isEmpty())
      context_.add_note(tr("Written on the engine's machine: %1").arg(file));
    else
      context_.add_written(file);
    Q_EMIT saved(file);
  });
}

QString DocumentController::why_not_save() const {
  if (const QString why = questions_.why_not(); !why.isEmpty()) return why;
  const std::string &read = context_.asked().request().policy, &chosen = context_.run_options().policy;
  if (read == chosen) return {};
  return tr("the text was read under %1, and %2 is chosen")
      .arg(QString::fromStdString(read), QString::fromStdString(chosen));
}

QString DocumentController::why_not_open() const {
  const QString busy = runs_.why_engine_is_busy();
  return busy.isEmpty() && !runs_.loader().model() ? tr("no model is open") : busy;
}

void DocumentController::save(const QString& file) {
  if (const QString why = why_not_save(); !why.isEmpty())
    return Q_EMIT failed({Fault::Usage, tr("document state"), why, tr("Run the text, and wait for its end.")});
  const auto control = begin(tr("a document's state is being written"));
  Q_EMIT started();
  post(worker_, [text = questions_.text_to_ask(), path = absolute_here(runs_.engine(), file),
                 control](DocumentWorker& worker) { worker.save(text, path, control); });
}

void DocumentController::open(const QString& file) {
  open_under(context_.run_options().policy, file);
}

void DocumentController::open_again(const QString& file) {
  open_under({}, file);
}

void DocumentController::open_under(const std::string& policy, const QString& file) {
  if (const QString why = why_not_open(); !why.isEmpty()) {
    Q_EMIT failed({Fault::Usage, tr("document state"), why, tr("Open its model first, or wait for the engine.")});
    return Q_EMIT ended();
  }
  close();  // the engine keeps one
  const auto control = begin(tr("a document's state is being read"));
  Q_EMIT started();
  post(worker_, [policy, path = absolute_here(runs_.engine(), file), control](DocumentWorker& worker) {
    worker.open(path, policy, control);
  });
}

void DocumentController::accept(const QString& file, const StateInfo& state) {
  release();
  const auto& model = runs_.loader().model();
  if (!model) return Q_EMIT ended();  // the engine is lost
  context_.document().open(file, model->info, state, model->tokenizer);
  context_.add_note(context_.document().details().replace(u'\n', u' '));
  Q_EMIT opened(file);
}

void DocumentController::close() {
  if (!context_.document().is_open()) return;
  context_.add_note(tr("Document state closed: %1").arg(context_.document().file()));
  context_.document().close();
}

}  // namespace carryover
