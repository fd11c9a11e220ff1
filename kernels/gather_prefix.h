// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// Copies the chosen pool entries of each head into its retrieved prefix: R_i (app:retrieval, step 3).
struct GatherPrefix {
  const void* pool_keys;    ///< [slots, capacity, d], unrotated
  const void* pool_values;  ///< [slots, capacity, d]
  Element type;
  std::int64_t slot_stride;       ///< elements
  const std::int32_t* head_slot;  ///< [heads]
  const std::int64_t* positions;  ///< [heads, prefix_length], pool indices
  std::int32_t heads, prefix_length, head_dim;
  void* keys;    ///< out [heads, prefix_length, d], unrotated
  void* values;  ///< out [heads, prefix_length, d]
};
namespace reference {
Status gather_prefix(const GatherPrefix& args, Stream stream);
}
Status gather_prefix(const GatherPrefix& args, Stream stream);

}  // namespace carryover::kernels
