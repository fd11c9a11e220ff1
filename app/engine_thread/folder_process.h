// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_thread/command_process.h"

namespace carryover {

/// A command that writes what it does into a folder (`experiment`, `run --prompts`), in a process of its own, so that
/// it outlives no window but needs none of its memory. A part that fails is said in the folder, and is no failure of
/// the process. GUI thread.
class FolderProcess : public CommandProcess {
  Q_OBJECT
 public:
  using CommandProcess::CommandProcess;

 protected:
  void conclude(const CommandExit& exit) override;
};

}  // namespace carryover
