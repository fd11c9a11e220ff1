// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/soft_cap.h"

#include <ATen/ATen.h>

#include "engine/runtime/compute_type.h"

namespace carryover::ops {

at::Tensor soft_capped(const at::Tensor& values, double cap) {
  return cap == 0 ? values : (values / cap).tanh() * cap;
}

void to_uncapped_gradient(at::Tensor& gradient, const at::Tensor& capped, double cap) {
  if (cap == 0) return;
  const at::Tensor share = capped.to(compute_type(capped.scalar_type())) / cap;
  gradient.mul_(1 - share.square());
}

}  // namespace carryover::ops
