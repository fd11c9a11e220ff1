// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/runs/state_archive.h"
#include "engine/runs/values/sweep.h"

namespace carryover {

/// Implements the contract of Session::sweep. `patch_archive` keeps states of the run that values are taken from.
/// Thread: engine.
void run_sweep(const Decoder& decoder, const SweepRequest& request, const SweepObserver& observer, RunControl& control,
               StateArchive& archive, StateArchive& patch_archive);

}  // namespace carryover
