// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/join_rows.h"

#include <algorithm>

namespace carryover::kernels::reference {

Status join_rows(const JoinRows& args, Stream) {
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    T *keys = static_cast<T*>(args.keys), *values = static_cast<T*>(args.values);
    for (std::int32_t head = 0; head < args.heads; ++head) {
      for (std::int32_t p = 0; p < args.prefix_length + args.length; ++p) {
        const bool before = p < args.prefix_length;
        const KvRows& rows = before ? args.prefix : args.segment;
        const std::int32_t position = before ? p : p - args.prefix_length;
        keys = std::copy_n(key_at<T>(rows, head, position), args.head_dim, keys);
        values = std::copy_n(value_at<T>(rows, head, position), args.head_dim, values);
      }
    }
  });
  return 0;
}

}  // namespace carryover::kernels::reference
