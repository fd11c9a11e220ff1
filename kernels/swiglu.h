// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// Computes silu(gate) · up in one pass, and its gradient in another. It computes in fp32 (fp64 for fp64). exp(-gate)
/// may be infinite: the result is then 0.
struct Swiglu {
  const void* input;     ///< [rows, 2·inner], gate first
  const void* gradient;  ///< [rows, inner], gradient of the output; only for swiglu_backward
  Element type;
  std::int64_t rows;
  std::int32_t inner;
  void* output;  ///< swiglu: [rows, inner]; swiglu_backward: [rows, 2·inner]
};
namespace reference {
Status swiglu(const Swiglu& args, Stream stream);
Status swiglu_backward(const Swiglu& args, Stream stream);
}  // namespace reference
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status swiglu(const Swiglu& args, Stream stream);
Status swiglu_backward(const Swiglu& args, Stream stream);

}  // namespace carryover::kernels
