// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/element.h"

namespace carryover::kernels {

inline constexpr std::int32_t place_heads_max_groups = 4;

/// Places the outputs of heads, which are in groups, side by side in order of heads, as the output projection needs
/// them.
struct PlaceHeads {
  /// Head i of a group begins, at position p, at data + i · head_stride + p · position_stride (in elements).
  struct Group {
    const void* data;
    std::int64_t head_stride, position_stride;
  };
  Group groups[place_heads_max_groups];
  const std::int32_t* group;  ///< [heads]: the group that has the head
  const std::int32_t* row;    ///< [heads]: the head's index in the group
  Element type;
  std::int32_t heads, length, head_dim;
  void* output;  ///< [length, heads, d]
};
namespace reference {
Status place_heads(const PlaceHeads& args, Stream stream);
}
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status place_heads(const PlaceHeads& args, Stream stream);

}  // namespace carryover::kernels
