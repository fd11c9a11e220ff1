// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/gather_prefix.h"

#include <cstring>

#include "kernels/element.h"

namespace carryover::kernels::reference {

Status gather_prefix(const GatherPrefix& args, Stream) {
  const std::int64_t row_bytes = args.head_dim * element_bytes(args.type);
  const std::int64_t slot_bytes = args.slot_stride * element_bytes(args.type);
  const auto copy_row = [&](const void* pool, void* prefix, std::int64_t source, std::int64_t row) {
    std::memcpy(static_cast<char*>(prefix) + row * row_bytes, static_cast<const char*>(pool) + source,
                static_cast<std::size_t>(row_bytes));
  };
  for (std::int32_t head = 0; head < args.heads; ++head) {
    for (std::int32_t p = 0; p < args.prefix_length; ++p) {
      const std::int64_t row = static_cast<std::int64_t>(head) * args.prefix_length + p;
      const std::int64_t source = args.head_slot[head] * slot_bytes + args.positions[row] * row_bytes;
      copy_row(args.pool_keys, args.keys, source, row);
      copy_row(args.pool_values, args.values, source, row);
    }
  }
  return 0;
}

}  // namespace carryover::kernels::reference
