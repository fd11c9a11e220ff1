// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/core/base/dtype.h"
#include "engine/families/model_config.h"

namespace carryover {

/// What the weights of a model would take in dtypes that need less than `now`, as a sentence for whoever lacks memory.
/// Empty where there is none. `stored`: what the file holds them in; Auto: something else. `q8`: whether that works
/// where they are wanted: on a CPU, and not for training. Pure; any thread.
std::string smaller_dtypes_text(const ModelConfig& model, DType now, DType stored, bool q8);

}  // namespace carryover
