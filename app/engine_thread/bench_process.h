// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_thread/command_process.h"
#include "engine/bench/bench_file.h"

namespace carryover {

/// `carryover bench … --json` in a process of its own, so that its memory is measured without the window's. What was
/// measured before a stop comes by done(). GUI thread.
class BenchProcess : public CommandProcess {
  Q_OBJECT
 public:
  explicit BenchProcess(QObject* parent = nullptr);

 Q_SIGNALS:
  void done(const QByteArray& json, const carryover::BenchReport& report);
  void stopped();  ///< before anything was measured

 protected:
  void conclude(const CommandExit& exit) override;
};

}  // namespace carryover
