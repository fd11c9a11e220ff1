// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>

#include <cmath>

namespace carryover {

/// Whether all values of a tensor are finite; true of integers. A sum is finite only where all its values are; one in
/// fp64 of fp64 may overflow.
inline bool has_finite_values(const at::Tensor& tensor) {
  if (!tensor.is_floating_point() || std::isfinite(tensor.sum(at::kDouble).item<double>())) return true;
  return at::isfinite(tensor).all().item<bool>();
}

}  // namespace carryover
