// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/script/script_runner.h"

#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

constexpr int poll_ms = 10;

}  // namespace

ScriptRunner::ScriptRunner(MainWindow& window, std::vector<Statement> statements, const QString& name, QObject* parent)
    : QObject(parent), window_(window), statements_(std::move(statements)), name_(name) {
  for (next_ = 0; next_ < statements_.size(); ++next_) {
    const auto problem = attempt([&] { verb_of(statements_[next_]); });
    if (!problem) continue;
    const ErrorReport placed = at_statement(*problem);
    throw EngineError(placed.fault, placed.where.toStdString(), placed.problem.toStdString(),
                      placed.advice.toStdString());
  }
  next_ = 0;
  connect(&poll_, &QTimer::timeout, this, &ScriptRunner::advance);
  connect(&window_.lab(), &Lab::failed, this, &ScriptRunner::fail);
}

void ScriptRunner::start() {
  poll_.start(poll_ms);
}

// One statement a turn of the event loop, so that views follow as they do under a hand.
void ScriptRunner::advance() {
  const auto problem = attempt([this] { step(); });
  if (problem) fail(*problem);
}

void ScriptRunner::step() {
  if (pending_) {
    if (!pending_()) return;
    pending_ = {};
    ++next_;
  }
  if (next_ == statements_.size()) {
    poll_.stop();
    Q_EMIT finished();
    return;
  }
  const Statement& statement = statements_[next_];
  const ScriptVerb& verb = verb_of(statement);
  if (!verb.run) {  // quit
    next_ = statements_.size();
    return;
  }
  pending_ = verb.run(window_, statement.words.mid(1));
  if (!pending_) ++next_;
}

void ScriptRunner::fail(const ErrorReport& report) {
  if (!poll_.isActive()) return;
  poll_.stop();
  Q_EMIT failed(at_statement(report));
}

ErrorReport ScriptRunner::at_statement(const ErrorReport& report) const {
  ErrorReport placed = report;
  if (!name_.isEmpty() && next_ < statements_.size())
    placed.where = filled(QStringLiteral("%1:%2: %3"), name_, statements_[next_].line, report.where);
  return placed;
}

}  // namespace carryover
