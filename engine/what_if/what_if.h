// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/runs/state_archive.h"
#include "engine/runs/values/replay_request.h"

namespace carryover {

/// Implements the contract of Session::what_if. `patch_archive` keeps states of the run that patches take values from.
WhatIfBase run_what_if(const Decoder& decoder, const WhatIfRequest& request, const WhatIfDone& done,
                       RunControl& control, StateArchive& archive, StateArchive& patch_archive);

/// Implements the contract of Session::what_if_segments.
std::int64_t count_what_if_segments(const WhatIfRequest& request, const StateArchive& archive,
                                    const StateArchive& patch_archive);

}  // namespace carryover
