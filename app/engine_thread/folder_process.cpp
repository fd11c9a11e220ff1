// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/folder_process.h"

namespace carryover {

void FolderProcess::conclude(const CommandExit& exit) {
  if (exit.stopped || (exit.normal && exit.code == stopped_code)) return;
  if (exit.normal && (exit.code == 0 || !exit.said.isEmpty())) return;  // it says how much has failed
  Q_EMIT failed(what_went_wrong(exit));
}

}  // namespace carryover
