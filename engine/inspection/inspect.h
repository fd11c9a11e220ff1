// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/runs/state_archive.h"
#include "engine/runs/values/inspection.h"
#include "engine/runs/values/replay_request.h"

namespace carryover {

/// Implements the contract of Session::inspect.
Inspection inspect_segment(const Decoder& decoder, const InspectRequest& request, RunControl& control,
                           StateArchive& archive);

}  // namespace carryover
