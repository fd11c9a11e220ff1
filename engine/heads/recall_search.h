// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/heads/choice/recall_heads.h"

namespace carryover {

/// Implements the contract of Session::find_recall_heads.
RecallHeads find_recall_heads(const Decoder& decoder, const RecallHeadsRequest& request, RunControl& control);

}  // namespace carryover
