// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QProcess>
#include <QTimer>
#include <string>
#include <vector>

#include "app/engine_thread/error_report.h"

namespace carryover {

/// The end of a command: its status and output.
struct CommandExit {
  int code = 0;
  bool normal = false;   ///< no signal ended it
  bool stopped = false;  ///< it was asked to stop
  QByteArray said;       ///< on standard output
};

/// A command of this program in a process of its own, one at a time. GUI thread; never waits, but for the process's end
/// when it is destroyed.
class CommandProcess : public QObject {
  Q_OBJECT
 public:
  /// `name` is the command's, for errors.
  explicit CommandProcess(const QString& name, QObject* parent = nullptr);
  ~CommandProcess() override;  ///< stops it; no process is left behind

  /// This program where none is set.
  void set_program(const QString& path);
  void set_patience(int ms);       ///< between the wish to stop and a kill
  void set_last_patience(int ms);  ///< likewise when the window closes
  bool running() const { return process_.state() != QProcess::NotRunning; }
  qint64 process_id() const { return process_.processId(); }
  void start(const QStringList& arguments);  ///< the command's name the first. Nothing while it runs.
  /// A command as its parts, the program's name the first; `also` comes behind them.
  void start(const std::vector<std::string>& command, const QStringList& also = {});
  void stop();  ///< asks it to stop, and kills it where it continues

 Q_SIGNALS:
  void progressed(const QString& what);  ///< the newest line of standard error
  void failed(const carryover::ErrorReport& report);
  void ended();  ///< after what there is to say of it

 protected:
  static constexpr int stopped_code = 130;
  /// Says what came of it, by signals of its own or by failed().
  virtual void conclude(const CommandExit& exit) = 0;
  ErrorReport what_went_wrong(const CommandExit& exit) const;

 private:
  void read_progress();
  void end(int code, QProcess::ExitStatus status);

  QString name_, program_;
  QProcess process_;
  QTimer killer_;
  QByteArray errors_;  ///< lines that it said on standard error
  int last_patience_ms_;
  bool stopping_ = false;
};

}  // namespace carryover
