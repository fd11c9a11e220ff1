// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/rope_prefix.h"

#include <cmath>

#include "kernels/element.h"

namespace carryover::kernels::reference {
namespace {

/// One key of one head: the pairs (c, c + d/2) turn by position · inverse_frequency[c].
template <typename T>
void rotate_key(const T* input, T* output, std::int64_t position, const RopePrefix& args) {
  const std::int32_t half = args.head_dim / 2;
  for (std::int32_t c = 0; c < half; ++c) {
    const auto angle = static_cast<Opmath<T>>(position) * static_cast<Opmath<T>>(args.inverse_frequency[c]);
    const auto cosine = std::cos(angle) * static_cast<Opmath<T>>(args.attention_scale);
    const auto sine = std::sin(angle) * static_cast<Opmath<T>>(args.attention_scale);
    const auto low = to_opmath(input[c]);
    const auto high = to_opmath(input[c + half]);
    narrow(low * cosine - high * sine, output[c]);
    narrow(high * cosine + low * sine, output[c + half]);
  }
}

}  // namespace

Status rope_prefix(const RopePrefix& args, Stream) {
  visit_element(args.type, [&](auto element) {
    const auto* input = static_cast<const decltype(element)*>(args.input);
    auto* output = static_cast<decltype(element)*>(args.output);
    for (std::int32_t row = 0; row < args.rows; ++row) {
      for (std::int32_t p = 0; p < args.length; ++p) {
        const std::int64_t offset = (static_cast<std::int64_t>(row) * args.length + p) * args.head_dim;
        rotate_key(input + offset, output + offset, args.first_position + p, args);
      }
    }
  });
  return 0;
}

}  // namespace carryover::kernels::reference
