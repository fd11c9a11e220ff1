// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "app/engine_thread/command_process.h"

namespace carryover {

/// What `carryover eval --dry-run` expects, over all tasks, lengths and policies.
struct EvaluationForecast {
  std::int64_t samples = 0;                 ///< of one policy
  std::int64_t tokens = 0, new_tokens = 0;  ///< likewise: read, and written at most
  double seconds = 0;                       ///< of all policies
};

/// `carryover eval … --dry-run --json` in a process of its own: it makes the samples and measures the machine. GUI
/// thread.
class EvalForecastProcess : public CommandProcess {
  Q_OBJECT
 public:
  explicit EvalForecastProcess(QObject* parent = nullptr);

 Q_SIGNALS:
  void done(const carryover::EvaluationForecast& forecast);

 protected:
  void conclude(const CommandExit& exit) override;
};

}  // namespace carryover
