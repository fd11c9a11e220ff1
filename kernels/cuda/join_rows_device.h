// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of join_rows, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/join_rows.h"

namespace carryover::kernels {

inline constexpr int join_threads = 256;

/// A thread copies one unit of type Unit at a time. Strides and head_dim of `args` count units here. Grid: (blocks,
/// heads, 2): keys, then values.
template <typename Unit>
__global__ void __launch_bounds__(join_threads) join_units(const JoinRows args) {
  const std::uint32_t width = static_cast<std::uint32_t>(args.head_dim);
  const std::int64_t both = std::int64_t{args.prefix_length} + args.length;
  const std::int64_t head = blockIdx.y, units = both * width, step = std::int64_t{gridDim.x} * join_threads;
  const bool keys = blockIdx.z == 0;
  Unit* const out = static_cast<Unit*>(keys ? args.keys : args.values) + head * units;
  for (std::int64_t i = blockIdx.x * std::int64_t{join_threads} + threadIdx.x; i < units; i += step) {
    const std::int32_t joined = static_cast<std::int32_t>(i / width);
    const bool before = joined < args.prefix_length;
    const KvRows& rows = before ? args.prefix : args.segment;
    const std::int32_t position = before ? joined : joined - args.prefix_length;
    const Unit* const from = keys ? key_at<Unit>(rows, head, position) : value_at<Unit>(rows, head, position);
    out[i] = from[i % width];
  }
}

}  // namespace carryover::kernels
