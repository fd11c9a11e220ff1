// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/engine_connection.h"

#include "widgets/look/filled_text.h"

namespace carryover {

EngineConnection::EngineConnection(LabContext& context, QObject* parent) : QObject(parent), context_(context) {
  connect(worker_.get(), &EngineWorker::engine_ready, this, &EngineConnection::accept);
  connect(worker_.get(), &EngineWorker::engine_lost, this, &EngineConnection::lose);
  connect(worker_.get(), &EngineWorker::engine_refused, this, &EngineConnection::failed);
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

void EngineConnection::change_to(const QString& command) {
  const bool works = !lost_ && (command_.isEmpty() || elsewhere_);
  if (!works) return use(command);
  if (refuse_when_busy()) return;
  wanted_ += command.trimmed();
  Q_EMIT changing();
  post([command = wanted_.back(), control = begin_to_connect()](EngineWorker& worker) {
    worker.change_engine(command, control);
  });
}

void EngineConnection::reconnect() {
  if (!refuse_when_busy()) start(true);
}

void EngineConnection::start(bool again) {
  Q_EMIT starting(again);
  elsewhere_.reset();
  wanted_.clear();
  lost_ = false;
  const auto control = begin_to_connect();
  Q_EMIT changed();
  post([command = command_, control](EngineWorker& worker) { worker.use_engine(command, control); });
}

/// Nobody waits any more for the engine before.
std::shared_ptr<RunControl> EngineConnection::begin_to_connect() {
  if (connecting_) connecting_->request_stop();
  connecting_ = std::make_shared<RunControl>();
  return connecting_;
}

/// The answer says which engine it is: the next one may have been asked for since. One of change_to() is in use until
/// that takes its place; after use(), no earlier one is.
void EngineConnection::accept(const std::optional<EngineElsewhere>& elsewhere) {
  const QString command = elsewhere ? elsewhere->command : QString();
  const qsizetype place = wanted_.indexOf(command);
  if (place < 0 && command != command_) return;
  elsewhere_ = elsewhere;
  lost_ = false;
  if (place >= 0) {
    wanted_.remove(0, place + 1);  // those before it were refused, or given up
    command_ = command;
    Q_EMIT replaced();
  }
  if (elsewhere) {
    context_.add_note(filled(tr("The engine is on %1: %2 cores, %3 GB of memory"),
                             QString::fromStdString(elsewhere->place.host), elsewhere->place.cores,
                             QString::number(static_cast<double>(elsewhere->place.memory_bytes) / 1e9, 'f', 0)));
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
