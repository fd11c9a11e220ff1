// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QProcess>
#include <QTimer>

#include "app/engine_thread/error_report.h"
#include "engine/records/bench_file.h"

namespace carryover {

/// `carryover bench … --json` in a process of its own, so that its memory is measured without the window's. GUI thread;
/// never waits, but for the process's end when it is destroyed.
class BenchProcess : public QObject {
  Q_OBJECT
 public:
  explicit BenchProcess(QObject* parent = nullptr);
  ~BenchProcess() override;  ///< stops it; no process is left behind

  /// This program where none is set.
  void set_program(const QString& path);
  void set_patience(int ms);  ///< between the wish to stop and a kill
  bool running() const { return process_.state() != QProcess::NotRunning; }
  qint64 process_id() const { return process_.processId(); }
  void start(const QStringList& arguments);  ///< of the program, "bench" the first. Nothing while it runs.
  /// Asks it to stop, and kills it where it continues. What was measured by then comes by done().
  void stop();

 Q_SIGNALS:
  void progressed(const QString& what);
  void done(const QByteArray& json, const carryover::BenchReport& report);
  void stopped();  ///< before anything was measured
  void failed(const carryover::ErrorReport& report);
  void ended();  ///< after each of these three

 private:
  void read_progress();
  void end(int code, QProcess::ExitStatus status);
  ErrorReport what_went_wrong(int code, QProcess::ExitStatus status) const;

  QString program_;
  QProcess process_;
  QTimer killer_;
  QByteArray errors_;  ///< lines that it said on standard error
  bool stopping_ = false;
};

}  // namespace carryover
