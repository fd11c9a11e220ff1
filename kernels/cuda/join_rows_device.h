// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of join_rows, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/join_rows.h"

namespace carryover::kernels {

inline constexpr int join_threads = 256;

/// Converts the strides of `rows` to units of `elements` elements. Returns false if strides or addresses are not
/// multiples of the unit.
inline bool count_in_units(KvRows& rows, std::int64_t elements, std::uintptr_t unit_bytes) {
  bool whole =
      (reinterpret_cast<std::uintptr_t>(rows.keys) | reinterpret_cast<std::uintptr_t>(rows.values)) % unit_bytes == 0;
  for (std::int64_t* stride :
       {&rows.key_row_stride, &rows.key_position_stride, &rows.value_row_stride, &rows.value_position_stride}) {
    whole = whole && *stride % elements == 0;
    *stride /= elements;
  }
  return whole;
}

/// Converts strides and head_dim to units of type Unit, as join_units takes them. Returns false, and leaves `args`
/// unusable, if rows and addresses are not multiples of the unit, so that an access would be misaligned.
template <typename Unit>
bool count_in_units(JoinRows& args) {
  const std::int64_t elements = static_cast<std::int64_t>(sizeof(Unit)) / element_bytes(args.type);
  const bool whole_outputs =
      (reinterpret_cast<std::uintptr_t>(args.keys) | reinterpret_cast<std::uintptr_t>(args.values)) % sizeof(Unit) == 0;
  if (elements < 1 || args.head_dim % elements != 0 || !whole_outputs) return false;
  args.head_dim = static_cast<std::int32_t>(args.head_dim / elements);
  return count_in_units(args.segment, elements, sizeof(Unit)) &&
         (args.prefix_length == 0 || count_in_units(args.prefix, elements, sizeof(Unit)));
}

/// A thread copies one unit of type Unit at a time. Strides and head_dim of `args` count units here. Grid: (blocks,
/// heads, 2): keys, then values.
template <typename Unit>
__global__ void __launch_bounds__(join_threads) join_units(const JoinRows args) {
  const std::uint32_t width = static_cast<std::uint32_t>(args.head_dim), step = gridDim.x * join_threads;
  const std::uint32_t units = static_cast<std::uint32_t>(args.prefix_length + args.length) * width;
  const std::int64_t head = blockIdx.y;
  const bool keys = blockIdx.z == 0;
  Unit* const out = static_cast<Unit*>(keys ? args.keys : args.values) + head * units;
  for (std::uint32_t i = blockIdx.x * join_threads + threadIdx.x; i < units; i += step) {
    const std::int32_t joined = static_cast<std::int32_t>(i / width);
    const bool before = joined < args.prefix_length;
    const KvRows& rows = before ? args.prefix : args.segment;
    const std::int32_t position = before ? joined : joined - args.prefix_length;
    const Unit* const from = keys ? key_at<Unit>(rows, head, position) : value_at<Unit>(rows, head, position);
    out[i] = from[i % width];
  }
}

}  // namespace carryover::kernels
