// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// Applies RoPE with given cosines and sines in one pass (app:rope): pairs (c, c + d/2), strided input and dense
/// output, in another order of rows if one is given. ops/elementwise.h calls this rotate.
struct RotateRows {
  const void* input;  ///< [rows, length, d], or as many rows as `row` names; last dimension dense
  Element type;
  std::int64_t row_stride, position_stride;  ///< strides of the input, in elements
  const void* cosine;                        ///< [length, d/2], fp32 (fp64 with fp64 input)
  const void* sine;                          ///< same shape
  bool backwards;                            ///< true: the opposite rotation, for the gradient
  std::int32_t rows, length, head_dim;
  void* output;                       ///< [rows, length, d]; `by_position`: [length, rows, d]
  const std::int32_t* row = nullptr;  ///< [rows]: the input's row for the i-th place; null: the i-th
  bool by_position = false;
};
namespace reference {
Status rotate_rows(const RotateRows& args, Stream stream);
}
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status rotate_rows(const RotateRows& args, Stream stream);

}  // namespace carryover::kernels
