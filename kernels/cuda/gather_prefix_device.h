// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of gather_prefix, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/element.h"
#include "kernels/gather_prefix.h"

namespace carryover::kernels {

inline constexpr int gather_threads = 256;

/// Returns true if rows and addresses are multiples of the unit, so that no access is misaligned.
inline bool takes_units(const GatherPrefix& args, std::int64_t unit_bytes) {
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  const std::int64_t element = element_bytes(args.type);
  const std::uintptr_t all = address(args.pool_keys) | address(args.pool_values) | address(args.keys) |
                             address(args.values) | static_cast<std::uintptr_t>(args.head_dim * element) |
                             static_cast<std::uintptr_t>(args.slot_stride * element);
  return all % static_cast<std::uintptr_t>(unit_bytes) == 0;
}

/// Copies `row_units` units of type Unit (the widest that sizes and addresses allow) per row: one warp per row, first
/// the rows of the keys, then those of the values. slot_units: number of units from one slot to the next.
template <typename Unit>
__global__ void __launch_bounds__(gather_threads)
    gather_rows(const GatherPrefix args, const std::int64_t row_units, const std::int64_t slot_units) {
  constexpr int lanes = 32;
  const std::int64_t rows = static_cast<std::int64_t>(args.heads) * args.prefix_length;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (gather_threads / lanes);
  const int lane = threadIdx.x % lanes;
  for (std::int64_t i = blockIdx.x * std::int64_t{gather_threads / lanes} + threadIdx.x / lanes; i < 2 * rows;
       i += warps) {
    const bool is_key = i < rows;
    const std::int64_t row = is_key ? i : i - rows;
    const std::int32_t slot = args.head_slot[row / args.prefix_length];
    const Unit* from = static_cast<const Unit*>(is_key ? args.pool_keys : args.pool_values) + slot * slot_units +
                       args.positions[row] * row_units;
    Unit* to = static_cast<Unit*>(is_key ? args.keys : args.values) + row * row_units;
    for (std::int64_t unit = lane; unit < row_units; unit += lanes) to[unit] = from[unit];
  }
}

}  // namespace carryover::kernels
