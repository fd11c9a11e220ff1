// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/engine_connection.h"

namespace carryover {

EngineConnection::EngineConnection(LabContext& context, QObject* parent) : QObject(parent), context_(context) {
  connect(worker_.get(), &EngineWorker::engine_ready, this, &EngineConnection::accept);
  connect(worker_.get(), &EngineWorker::engine_lost, this, &EngineConnection::lose);
}

EngineConnection::~EngineConnection() {
  if (connecting_) connecting_->request_stop();
  worker().end_loads();
}

void EngineConnection::set_busy(const QString& why) {
  if (busy_ == why) return;
  busy_ = why;
  Q_EMIT busy_changed();
}

bool EngineConnection::refuse_when_busy() {
  if (!busy_.isEmpty()) Q_EMIT failed({Fault::Usage, tr("engine"), busy_, tr("Stop it first, or wait for its end.")});
  return !busy_.isEmpty();
}

void EngineConnection::use(const QString& command) {
  if (refuse_when_busy()) return;
  command_ = command.trimmed();
  start(false);
}

void EngineConnection::reconnect() {
  if (!refuse_when_busy()) start(true);
}

void EngineConnection::start(bool again) {
  Q_EMIT starting(again);
  elsewhere_.reset();
  lost_ = false;
  if (connecting_) connecting_->request_stop();
  connecting_ = std::make_shared<RunControl>();
  Q_EMIT changed();
  post([command = command_, control = connecting_](EngineWorker& worker) { worker.use_engine(command, control); });
}

void EngineConnection::accept(const std::optional<EngineElsewhere>& elsewhere) {
  elsewhere_ = elsewhere;
  if (elsewhere) {
    context_.add_note(tr("The engine is on %1: %2 cores, %3 GB of memory")
                          .arg(QString::fromStdString(elsewhere->place.host))
                          .arg(elsewhere->place.cores)
                          .arg(static_cast<double>(elsewhere->place.memory_bytes) / 1e9, 0, 'f', 0));
  } else {
    context_.add_note(tr("The engine is in this program"));
  }
  Q_EMIT changed();
  Q_EMIT ready();
}

void EngineConnection::lose(const ErrorReport& report) {
  lost_ = true;
  Q_EMIT changed();
  Q_EMIT failed(report);
}

}  // namespace carryover
