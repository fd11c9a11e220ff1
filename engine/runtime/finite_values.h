// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>

#include <cmath>

namespace carryover {

/// Returns true if all values of a tensor are finite, and for integers. A sum is finite only if all its values are, but
/// an fp64 sum of fp64 values may overflow, so then each value is checked.
inline bool has_finite_values(const at::Tensor& tensor) {
  if (!tensor.is_floating_point() || std::isfinite(tensor.sum(at::kDouble).item<double>())) return true;
  return at::isfinite(tensor).all().item<bool>();
}

}  // namespace carryover
