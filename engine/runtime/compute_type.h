// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/ScalarType.h>

namespace carryover::ops {

/// Returns the dtype in which norms, RoPE and losses are computed: fp64 for fp64, else fp32.
inline c10::ScalarType compute_type(c10::ScalarType type) {
  return type == c10::ScalarType::Double ? type : c10::ScalarType::Float;
}

}  // namespace carryover::ops
