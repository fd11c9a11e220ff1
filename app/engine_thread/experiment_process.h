// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_thread/command_process.h"

namespace carryover {

/// `carryover experiment …` in a process of its own, so that it outlives no window but needs none of its memory. What
/// it does stands in the experiment's folder; a cell that fails is said there, and is no failure of the process. GUI
/// thread.
class ExperimentProcess : public CommandProcess {
  Q_OBJECT
 public:
  explicit ExperimentProcess(QObject* parent = nullptr);

 protected:
  void conclude(const CommandExit& exit) override;
};

}  // namespace carryover
