// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/query_summaries.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/runtime/compute_type.h"

namespace carryover {

at::Tensor query_summaries(const SegmentConfig& config, const at::Tensor& queries) {
  const at::Tensor upcast = queries.to(ops::compute_type(queries.scalar_type()));
  const std::int64_t available = upcast.size(1), w = config.summary_window;
  const at::Tensor means = available >= w ? upcast.unfold(1, w, config.summary_stride).mean(-1) : upcast.mean(1, true);
  const std::int64_t tail = std::min(config.summary_tail, available);
  return at::cat({means, upcast.narrow(1, available - tail, tail).mean(1, true)}, 1);
}

}  // namespace carryover
