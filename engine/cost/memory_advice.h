// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/base/dtype.h"
#include "engine/families/model_config.h"

namespace carryover {

/// Returns a sentence for people who lack memory: the bytes that a model's weights would take in dtypes that need less
/// than `now`. Empty if there is no such dtype. `stored`: dtype of most of the file's weights; Auto: another format.
/// `q8`: true if q8 is possible, which it is on a CPU and not for training. Pure; any thread.
std::string smaller_dtypes_text(const ModelConfig& model, DType now, DType stored, bool q8);

}  // namespace carryover
