// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/model_config.h"
#include "engine/ops/soft_cap.h"

namespace carryover {

/// Returns scores q·k/√d as the model's attention takes them: soft-capped where the model caps scores.
inline at::Tensor capped_scores(const at::Tensor& scores, const ModelConfig& model) {
  return ops::soft_capped(scores, model.score_cap);
}

}  // namespace carryover
