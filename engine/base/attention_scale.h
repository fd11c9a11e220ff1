// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <cstdint>

namespace carryover {

/// Returns the factor of attention's scores for heads of d dimensions (eq:attn). It is the same for all models: another
/// factor belongs into a model's queries.
template <typename Real>
Real attention_scale(std::int64_t d) {
  return 1 / std::sqrt(static_cast<Real>(d));
}

}  // namespace carryover
