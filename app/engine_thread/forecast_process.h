// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "app/engine_thread/command_process.h"

namespace carryover {

/// What `carryover experiment --dry-run` expects.
struct ExperimentForecast {
  std::int64_t cells = 0, done = 0;
  double seconds = 0, bytes_to_write = 0;  ///< for those that are not done
};

/// `carryover experiment … --dry-run --json` in a process of its own: it reads the texts and may measure the machine.
/// GUI thread.
class ForecastProcess : public CommandProcess {
  Q_OBJECT
 public:
  explicit ForecastProcess(QObject* parent = nullptr);

 Q_SIGNALS:
  void done(const carryover::ExperimentForecast& forecast);

 protected:
  void conclude(const CommandExit& exit) override;
};

}  // namespace carryover
