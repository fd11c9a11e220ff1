// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/runs/values/model_info.h"
#include "engine/runs/values/run_request.h"

namespace carryover {

/// 16 hex digits of what decides a run's numbers: weights, dtype, device, policy, configuration, tokens, and the
/// hits it was forced to. The same run repeated has the same id. Pure; any thread.
std::string run_id(const ModelInfo& model, const RunRequest& request);

}  // namespace carryover
