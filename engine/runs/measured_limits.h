// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cost/machine_limits.h"
#include "engine/runs/values/model_info.h"

namespace carryover {

/// Measures matmuls of the model's own shapes with `rows` rows, and a square one, in its dtype on its device and with
/// LibTorch's threads; then the triad. Takes about 2 s. Thread: engine.
MachineLimits find_limits(const ModelInfo& model, std::int64_t rows);

}  // namespace carryover
