// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/engine_call.h"

namespace carryover {

Session& EngineCall::session() const {
  if (Session* session = worker_.session()) return *session;
  throw EngineError(Fault::Usage, "engine", CallRelay::tr("no model is open").toStdString(),
                    CallRelay::tr("Open a model first.").toStdString());
}

Session& EngineCall::session_of(const std::optional<RecordedSegment>& record) const {
  Session& opened = session();
  const std::string& open = opened.model().weights_hash;
  if (record && record->weights_hash != open)
    throw EngineError(Fault::Usage, "inspection",
                      CallRelay::tr("the run was made with the weights %1, and the open model has %2")
                          .arg(QString::fromStdString(record->weights_hash), QString::fromStdString(open))
                          .toStdString(),
                      CallRelay::tr("Open the run's model, or run the text again.").toStdString());
  return opened;
}

void EngineCall::announce(double share, const QString& what) {
  Q_EMIT relay_.progressed(share, what);
}

void EngineCall::progress(double share, const QString& what) {
  if (throttle_.passes()) announce(share, what);
}

LoadProgress EngineCall::reporting() {
  return [this](double share, const std::string& what) { progress(share, QString::fromStdString(what)); };
}

EngineCalls::EngineCalls(EngineWorker& worker, QObject& receiver)
    : worker_(worker), relay_(std::make_shared<CallRelay>()) {
  QObject::connect(
      relay_.get(), &CallRelay::said, &receiver, [](const std::function<void()>& call) { call(); },
      Qt::QueuedConnection);
}

}  // namespace carryover
