// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// Computes activation(gate) · up in one pass, and its gradient in another. The activation is silu, or GELU
/// approximated by tanh: both are x · σ(gate_argument(x)). It computes in fp32 (fp64 for fp64). exp(-argument) may be
/// infinite: the result is then 0.
struct Swiglu {
  const void* input;     ///< [rows, 2·inner], gate first
  const void* gradient;  ///< [rows, inner], gradient of the output; only for swiglu_backward
  Element type;
  std::int64_t rows;
  std::int32_t inner;
  void* output;  ///< swiglu: [rows, inner]; swiglu_backward: [rows, 2·inner]
  bool gelu;     ///< true: GELU; false: silu
};

#ifdef __CUDACC__
#define CARRYOVER_ON_BOTH __host__ __device__
#else
#define CARRYOVER_ON_BOTH
#endif

/// Returns the argument of the sigmoid by which an activation multiplies x, and the derivative of the argument.
template <typename W>
CARRYOVER_ON_BOTH inline W gate_argument(W x, bool gelu) {
  return gelu ? W(1.5957691216057308) * x * (W(1) + W(0.044715) * x * x) : x;  // 2·√(2/π)
}
template <typename W>
CARRYOVER_ON_BOTH inline W gate_slope(W x, bool gelu) {
  return gelu ? W(1.5957691216057308) * (W(1) + W(3 * 0.044715) * x * x) : W(1);
}
#undef CARRYOVER_ON_BOTH

namespace reference {
Status swiglu(const Swiglu& args, Stream stream);
Status swiglu_backward(const Swiglu& args, Stream stream);
}  // namespace reference
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status swiglu(const Swiglu& args, Stream stream);
Status swiglu_backward(const Swiglu& args, Stream stream);

}  // namespace carryover::kernels
