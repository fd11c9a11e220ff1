// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/command_process.h"

#include <sys/prctl.h>

#include <QCoreApplication>
#include <csignal>

namespace carryover {
namespace {

constexpr int patience_ms = 5000, last_patience_ms = 2000;
constexpr qsizetype most_error_bytes = 64 * 1024;  ///< the newest

Fault fault_of(int code) {
  switch (code) {
    case 2:
      return Fault::Usage;
    case 3:
      return Fault::BadInput;
    case 4:
      return Fault::Unsupported;
    case 5:
      return Fault::Io;
    case 6:
      return Fault::OutOfMemory;
    default:
      return Fault::Internal;
  }
}

}  // namespace

CommandProcess::CommandProcess(const QString& name, QObject* parent)
    : QObject(parent),
      name_(name),
      program_(QCoreApplication::applicationFilePath()),
      last_patience_ms_(last_patience_ms) {
  killer_.setSingleShot(true);
  killer_.setInterval(patience_ms);
  connect(&killer_, &QTimer::timeout, &process_, &QProcess::kill);
  connect(&process_, &QProcess::readyReadStandardError, this, &CommandProcess::read_progress);
  connect(&process_, &QProcess::finished, this, &CommandProcess::end);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    Q_EMIT failed({Fault::Io, program_, tr("can't be started: %1").arg(process_.errorString()),
                   tr("Install the package again; in a checkout, ./lab build builds it.")});
    Q_EMIT ended();
  });
  // A window that crashes takes it along.
  process_.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });
}

CommandProcess::~CommandProcess() {
  process_.disconnect(this);
  if (!running()) return;
  process_.terminate();
  if (!process_.waitForFinished(last_patience_ms_)) process_.kill();
  process_.waitForFinished(last_patience_ms_);
}

void CommandProcess::set_program(const QString& path) {
  program_ = path;
}

void CommandProcess::set_patience(int ms) {
  killer_.setInterval(ms);
}

void CommandProcess::set_last_patience(int ms) {
  last_patience_ms_ = ms;
}

void CommandProcess::start(const QStringList& arguments) {
  if (running()) return;
  errors_.clear();
  stopping_ = false;
  process_.start(program_, arguments, QIODevice::ReadOnly);
}

void CommandProcess::start(const std::vector<std::string>& command, const QStringList& also) {
  QStringList arguments;
  for (std::size_t i = 1; i < command.size(); ++i) arguments += QString::fromStdString(command[i]);
  start(arguments + also);
}

void CommandProcess::stop() {
  if (!running() || stopping_) return;
  stopping_ = true;
  process_.terminate();
  killer_.start();
}

void CommandProcess::read_progress() {
  errors_ += process_.readAllStandardError();
  errors_ = errors_.right(most_error_bytes);
  const qsizetype end = errors_.lastIndexOf('\n');
  if (end < 0 || stopping_) return;
  const qsizetype begin = end == 0 ? 0 : errors_.lastIndexOf('\n', end - 1) + 1;
  Q_EMIT progressed(QString::fromUtf8(errors_.mid(begin, end - begin)));
}

void CommandProcess::end(int code, QProcess::ExitStatus status) {
  killer_.stop();
  read_progress();
  conclude({code, status == QProcess::NormalExit, stopping_, process_.readAllStandardOutput()});
  Q_EMIT ended();
}

// "carryover: WHERE: PROBLEM", then what to do.
ErrorReport CommandProcess::what_went_wrong(const CommandExit& exit) const {
  if (!exit.normal)
    return {exit.code == SIGKILL ? Fault::OutOfMemory : Fault::Internal, name_,
            tr("its process was ended by signal %1").arg(exit.code),
            exit.code == SIGKILL
                ? tr("The system ends processes when memory runs out: choose shorter contexts or a smaller model.")
                : tr("Start the command line in a terminal to see more.")};
  const QString said = QString::fromUtf8(errors_).trimmed();
  const QString mark = QStringLiteral("carryover: ");
  const qsizetype begin = said.startsWith(mark) ? 0 : said.lastIndexOf(u'\n' + mark) + 1;
  if (!QStringView(said).mid(begin).startsWith(mark))
    return {fault_of(exit.code), name_,
            said.isEmpty() ? tr("it ended with code %1").arg(exit.code) : said.section(u'\n', -1),
            tr("Start the command line in a terminal to see more.")};
  const QString error = said.mid(begin + mark.size());
  return {fault_of(exit.code), name_, error.section(u'\n', 0, 0), error.section(u'\n', 1).trimmed()};
}

}  // namespace carryover
