// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/rotate_rows.h"

#include "kernels/element.h"

namespace carryover::kernels::reference {

Status rotate_rows(const RotateRows& args, Stream) {
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    const std::int32_t half = args.head_dim / 2;
    for (std::int32_t row = 0; row < args.rows; ++row) {
      for (std::int32_t position = 0; position < args.length; ++position) {
        const std::int64_t from = args.row == nullptr ? row : args.row[row];
        const std::int64_t place =
            args.by_position ? std::int64_t{position} * args.rows + row : std::int64_t{row} * args.length + position;
        const T* in = static_cast<const T*>(args.input) + from * args.row_stride + position * args.position_stride;
        T* out = static_cast<T*>(args.output) + place * args.head_dim;
        for (std::int32_t c = 0; c < half; ++c) {
          const std::int64_t at = std::int64_t{position} * half + c;
          const Opmath<T> cosine = static_cast<const Opmath<T>*>(args.cosine)[at];
          const Opmath<T> turned = static_cast<const Opmath<T>*>(args.sine)[at];
          const Opmath<T> sine = args.backwards ? -turned : turned, low = to_opmath(in[c]),
                          high = to_opmath(in[c + half]);
          narrow(low * cosine - high * sine, out[c]);
          narrow(high * cosine + low * sine, out[c + half]);
        }
      }
    }
  });
  return 0;
}

}  // namespace carryover::kernels::reference
