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
        const Opmath<T> gate = to_opmath(in[c]), up = to_opmath(in[args.inner + c]);
        narrow(gate / (Opmath<T>(1) + std::exp(-gate_argument(gate, args.gelu))) * up, out[c]);
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
        const Opmath<T> gate = to_opmath(in[c]), up = to_opmath(in[args.inner + c]), gradient = to_opmath(from[c]);
        const Opmath<T> sigmoid = Opmath<T>(1) / (Opmath<T>(1) + std::exp(-gate_argument(gate, args.gelu))),
                        active = gate * sigmoid;
        const Opmath<T> slope = sigmoid + active * (Opmath<T>(1) - sigmoid) * gate_slope(gate, args.gelu);
        narrow(gradient * up * slope, out[c]);
        narrow(gradient * active, out[args.inner + c]);
      }
    }
  });
  return 0;
}

}  // namespace carryover::kernels::reference
