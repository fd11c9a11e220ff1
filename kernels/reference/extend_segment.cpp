// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/extend_segment.h"

#include <algorithm>

namespace carryover::kernels::reference {
namespace {

template <typename T>
void turn(const ExtendSegment& args, std::int32_t position, const T* in, T* out) {
  const std::int32_t half = args.head_dim / 2;
  for (std::int32_t c = 0; c < half; ++c) {
    const Opmath<T> cosine = static_cast<const Opmath<T>*>(args.cosine)[std::int64_t{position} * half + c],
                    sine = static_cast<const Opmath<T>*>(args.sine)[std::int64_t{position} * half + c];
    const Opmath<T> low = to_opmath(in[c]), high = to_opmath(in[c + half]);
    narrow(low * cosine - high * sine, out[c]);
    narrow(high * cosine + low * sine, out[c + half]);
  }
}

template <typename T>
void extend(const ExtendSegment& args, std::int32_t position) {
  const std::int32_t d = args.head_dim, first_kept = args.length - args.tail_kept;
  const T* in = static_cast<const T*>(args.projections) + position * std::int64_t{args.heads + 2 * args.kv_heads} * d;
  for (std::int32_t head = 0; head < args.heads; ++head, in += d) {
    turn(args, position, in, static_cast<T*>(args.queries) + (std::int64_t{position} * args.heads + head) * d);
    if (position >= first_kept)
      std::copy_n(
          in, d,
          static_cast<T*>(args.tail) + head * args.tail_row_stride + (args.tail_first + position - first_kept) * d);
  }
  for (std::int32_t head = 0; head < args.kv_heads; ++head, in += d) {
    const std::int64_t at = head * args.row_stride + (args.first + position) * d;
    turn(args, position, in, static_cast<T*>(args.rotated_keys) + at);
    if (args.keys != nullptr) std::copy_n(in, d, static_cast<T*>(args.keys) + at);
  }
  for (std::int32_t head = 0; head < args.kv_heads; ++head, in += d)
    std::copy_n(in, d, static_cast<T*>(args.values) + head * args.row_stride + (args.first + position) * d);
}

}  // namespace

Status extend_segment(const ExtendSegment& args, Stream) {
  for (std::int32_t position = 0; position < args.length; ++position)
    visit_element(args.type, [&](auto element) { extend<decltype(element)>(args, position); });
  return 0;
}

}  // namespace carryover::kernels::reference
