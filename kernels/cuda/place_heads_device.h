// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of place_heads, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/place_heads.h"

namespace carryover::kernels {

inline constexpr int place_threads = 256;

/// Converts strides and head_dim to units of type Unit, as place_units takes them. Returns false, and leaves `args`
/// unusable, if rows and addresses are not multiples of the unit.
template <typename Unit>
bool count_in_units(PlaceHeads& args) {
  const std::int64_t elements = static_cast<std::int64_t>(sizeof(Unit)) / element_bytes(args.type);
  const auto whole = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address) % sizeof(Unit) == 0; };
  if (elements < 1 || args.head_dim % elements != 0 || !whole(args.output)) return false;
  args.head_dim = static_cast<std::int32_t>(args.head_dim / elements);
  for (PlaceHeads::Group& group : args.groups) {
    if (group.head_stride % elements != 0 || group.position_stride % elements != 0 || !whole(group.data)) return false;
    group.head_stride /= elements, group.position_stride /= elements;
  }
  return true;
}

/// A thread copies one unit of type Unit at a time, in order of the output. Strides and head_dim of `args` count units
/// here. Grid: (blocks).
template <typename Unit>
__global__ void __launch_bounds__(place_threads) place_units(const PlaceHeads args) {
  const std::uint32_t width = static_cast<std::uint32_t>(args.head_dim), heads = static_cast<std::uint32_t>(args.heads);
  const std::uint32_t units = static_cast<std::uint32_t>(args.length) * heads * width, step = gridDim.x * place_threads;
  for (std::uint32_t i = blockIdx.x * place_threads + threadIdx.x; i < units; i += step) {
    const std::uint32_t placed = i / width, head = placed % heads;
    const PlaceHeads::Group& group = args.groups[args.group[head]];
    const Unit* const from = static_cast<const Unit*>(group.data) + args.row[head] * group.head_stride +
                             std::int64_t{placed / heads} * group.position_stride;
    static_cast<Unit*>(args.output)[i] = from[i % width];
  }
}

}  // namespace carryover::kernels
