// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/place_heads.h"

#include <algorithm>

namespace carryover::kernels::reference {

Status place_heads(const PlaceHeads& args, Stream) {
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    T* out = static_cast<T*>(args.output);
    for (std::int32_t position = 0; position < args.length; ++position) {
      for (std::int32_t head = 0; head < args.heads; ++head) {
        const PlaceHeads::Group& group = args.groups[args.group[head]];
        const T* from =
            static_cast<const T*>(group.data) + args.row[head] * group.head_stride + position * group.position_stride;
        out = std::copy_n(from, args.head_dim, out);
      }
    }
  });
  return 0;
}

}  // namespace carryover::kernels::reference
