// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <math.h>

#include "kernels/element.h"

namespace carryover::kernels {

/// Returns the score that a soft cap makes of a score: cap · tanh(score / cap); the score itself if `cap` is 0.
CARRYOVER_HOST_DEVICE inline float soft_capped(float score, float cap) {
  return cap > 0 ? cap * tanhf(score / cap) : score;
}
CARRYOVER_HOST_DEVICE inline double soft_capped(double score, float cap) {
  return cap > 0 ? cap * tanh(score / cap) : score;
}

}  // namespace carryover::kernels
