// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/heads/choice/head_scores.h"

namespace carryover {

/// The contract of Session::profile_heads.
HeadProfile profile_heads(const Decoder& decoder, const HeadProfileRequest& request, RunControl& control);

}  // namespace carryover
