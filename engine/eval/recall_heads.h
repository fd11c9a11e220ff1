// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/analysis/recall_heads.h"
#include "engine/core/base/run_control.h"
#include "engine/model/decoder.h"

namespace carryover {

/// Implements the contract of Session::find_recall_heads.
RecallHeads find_recall_heads(const Decoder& decoder, const RecallHeadsRequest& request, RunControl& control);

}  // namespace carryover
