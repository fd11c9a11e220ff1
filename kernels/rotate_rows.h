// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// RoPE with given cosines and sines in one pass (app:rope): pairs (c, c + d/2), strided in and dense out. What
/// ops/elementwise.h calls rotate.
struct RotateRows {
  const void* input;  ///< [rows, length, d], the last dimension dense
  Element type;
  std::int64_t row_stride, position_stride;  ///< of the input, elements
  const void* cosine;                        ///< [length, d/2], fp32 (fp64 with fp64 input)
  const void* sine;                          ///< the same
  bool backwards;                            ///< turns the other way: the gradient's rotation
  std::int32_t rows, length, head_dim;
  void* output;  ///< [rows, length, d]
};
namespace reference {
Status rotate_rows(const RotateRows& args, Stream stream);
}
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status rotate_rows(const RotateRows& args, Stream stream);

}  // namespace carryover::kernels
