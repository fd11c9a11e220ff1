// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/experiment_process.h"

namespace carryover {
namespace {

// A training stops after the layer under way, and then saves a checkpoint. Whoever is killed loses the steps since the
// last one.
constexpr int saving_patience_ms = 60'000, last_saving_patience_ms = 10'000;

}  // namespace

ExperimentProcess::ExperimentProcess(QObject* parent) : CommandProcess(tr("experiment"), parent) {
  set_patience(saving_patience_ms);
  set_last_patience(last_saving_patience_ms);
}

void ExperimentProcess::conclude(const CommandExit& exit) {
  if (exit.stopped || (exit.normal && exit.code == stopped_code)) return;
  if (exit.normal && (exit.code == 0 || !exit.said.isEmpty())) return;  // it says how many cells failed
  Q_EMIT failed(what_went_wrong(exit));
}

}  // namespace carryover
