// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/document_controller.h"

#include <QFileInfo>

namespace carryover {
namespace {

QString absolute_here(const EngineConnection& engine, const QString& file) {
  return engine.command().isEmpty() ? QFileInfo(file).absoluteFilePath() : file;
}

/// Refuses a text that was read under another policy than `policy`; empty: any will do.
void require_policy(const StateInfo& state, const std::string& policy, const QString& file) {
  if (policy.empty() || state.policy == policy) return;
  const QString read_under = QString::fromStdString(state.policy);
  throw EngineError(
      Fault::BadInput, file.toStdString(),
      DocumentController::tr("was read under the policy %1, and %2 is chosen")
          .arg(read_under, QString::fromStdString(policy))
          .toStdString(),
      DocumentController::tr("Choose the policy %1, or read the text again.").arg(read_under).toStdString());
}

}  // namespace

DocumentController::DocumentController(LabContext& context, RunController& runs, const AskController& questions)
    : EngineJob(context, runs, tr("The document's state was cancelled")), questions_(questions) {}

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
  const QString path = absolute_here(runs_.engine(), file);
  // The text is read first, where the engine does not have the state behind it still.
  const auto write = [text = questions_.text_to_ask(), path](EngineCall& call) {
    call.session().read_document(text, call.reporting(), call.control());
    call.control().checkpoint();
    call.announce(1, tr("Writing %1").arg(QFileInfo(path).fileName()));
    call.session().save_state(path.toStdString());
  };
  start_work(tr("a document's state is being written"), write, [this, path] {
    if (!runs_.engine().command().isEmpty())
      context_.add_note(tr("Written on the engine's machine: %1").arg(path));
    else
      context_.add_written(path);
    Q_EMIT saved(path);
  });
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
  const QString path = absolute_here(runs_.engine(), file);
  const auto read = [policy, path](EngineCall& call) {
    call.announce(0, tr("Reading %1").arg(QFileInfo(path).fileName()));
    const StateInfo state = call.session().load_state(path.toStdString());
    call.control().checkpoint();
    require_policy(state, policy, path);
    return state;
  };
  start_work(tr("a document's state is being read"), read,
             [this, path](const StateInfo& state) { accept(path, state); });
}

void DocumentController::accept(const QString& file, const StateInfo& state) {
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
