// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/base/run_control.h"
#include "engine/core/run/inspection.h"
#include "engine/core/run/replay_request.h"
#include "engine/eval/state_archive.h"
#include "engine/model/decoder.h"

namespace carryover {

/// Implements the contract of Session::inspect.
Inspection inspect_segment(const Decoder& decoder, const InspectRequest& request, RunControl& control,
                           StateArchive& archive);

}  // namespace carryover
