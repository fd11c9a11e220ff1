// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/analysis/head_scores.h"
#include "engine/core/base/run_control.h"
#include "engine/model/decoder.h"

namespace carryover {

/// The contract of Session::profile_heads.
HeadProfile profile_heads(const Decoder& decoder, const HeadProfileRequest& request, RunControl& control);

}  // namespace carryover
