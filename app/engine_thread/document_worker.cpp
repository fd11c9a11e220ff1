// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/document_worker.h"

#include <QFileInfo>

namespace carryover {

Session& DocumentWorker::session() const {
  Session* session = engine_.session();
  if (!session)
    throw EngineError(Fault::Usage, "document state", tr("no model is open").toStdString(),
                      tr("Open a model first.").toStdString());
  return *session;
}

void DocumentWorker::save(const RunRequest& text, const QString& file, const std::shared_ptr<RunControl>& control) {
  const auto problem = attempt([&] {
    control->checkpoint();
    const auto report = [this](double share, const std::string& what) {
      if (progress_.passes()) Q_EMIT progressed(share, QString::fromStdString(what));
    };
    session().read_document(text, report, *control);
    control->checkpoint();
    Q_EMIT progressed(1, tr("Writing %1").arg(QFileInfo(file).fileName()));
    session().save_state(file.toStdString());
  });
  if (problem) return tell_problem(*this, *problem);
  Q_EMIT saved(file);
}

void DocumentWorker::open(const QString& file, const std::string& policy, const std::shared_ptr<RunControl>& control) {
  StateInfo state;
  const auto problem = attempt([&] {
    control->checkpoint();
    Q_EMIT progressed(0, tr("Reading %1").arg(QFileInfo(file).fileName()));
    state = session().load_state(file.toStdString());
    control->checkpoint();
    if (!policy.empty() && state.policy != policy)
      throw EngineError(
          Fault::BadInput, file.toStdString(),
          tr("was read under the policy %1, and %2 is chosen")
              .arg(QString::fromStdString(state.policy), QString::fromStdString(policy))
              .toStdString(),
          tr("Choose the policy %1, or read the text again.").arg(QString::fromStdString(state.policy)).toStdString());
  });
  if (problem) return tell_problem(*this, *problem);
  Q_EMIT opened(file, state);
}

}  // namespace carryover
