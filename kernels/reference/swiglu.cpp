// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/swiglu.h"

#include <cmath>

#include "kernels/element.h"

namespace carryover::kernels::reference {

Status swiglu(const Swiglu& args, Stream) {
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    for (std::int64_t row = 0; row < args.rows; ++row) {
      const T* in = static_cast<const T*>(args.input) + row * 2 * args.inner;
      T* out = static_cast<T*>(args.output) + row * args.inner;
      for (std::int32_t c = 0; c < args.inner; ++c) {
        const Wide<T> gate = widen(in[c]), up = widen(in[args.inner + c]);
        narrow(gate / (Wide<T>(1) + std::exp(-gate)) * up, out[c]);
      }
    }
  });
  return 0;
}

Status swiglu_backward(const Swiglu& args, Stream) {
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    for (std::int64_t row = 0; row < args.rows; ++row) {
      const T* in = static_cast<const T*>(args.input) + row * 2 * args.inner;
      const T* from = static_cast<const T*>(args.gradient) + row * args.inner;
      T* out = static_cast<T*>(args.output) + row * 2 * args.inner;
      for (std::int32_t c = 0; c < args.inner; ++c) {
        const Wide<T> gate = widen(in[c]), up = widen(in[args.inner + c]), gradient = widen(from[c]);
        const Wide<T> sigmoid = Wide<T>(1) / (Wide<T>(1) + std::exp(-gate)), silu = gate * sigmoid;
        narrow(gradient * up * (sigmoid + silu * (Wide<T>(1) - sigmoid)), out[c]);
        narrow(gradient * silu, out[args.inner + c]);
      }
    }
  });
  return 0;
}

}  // namespace carryover::kernels::reference
