// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What attention in fp32 and fp64 is made of: operands as its matmuls read them, and the matmul. Internal to it.
#include <cstdint>

#include "engine/ops/cpu/lines.h"
#include "engine/ops/cpu/simd_rows.h"

namespace carryover::ops::opmath {

constexpr std::int64_t kSixteen = 16;  ///< columns that lie side by side; rows and columns are padded to them

/// Value (r, k) is from[r · stride + k · step].
template <typename W>
struct Rows {
  const W* from = nullptr;
  std::int64_t stride = 0, step = 1;
};

/// Value (k, c) is from[c / 16 · sixteen + k · stride + c % 16].
template <typename W>
struct Columns {
  const W* from = nullptr;
  std::int64_t stride = 0, sixteen = kSixteen;
};

template <typename W>
struct Sums {
  W* to = nullptr;
  std::int64_t stride = 0;
};

struct Extent {
  std::int64_t rows = 0, columns = 0, summed = 0;  ///< rows even, columns a multiple of 16
};

/// sums[r][c] = or += Σ rows(r, k) · columns(k, c), in order of k.
void multiply(const Extent& extent, const Rows<float>& rows, const Columns<float>& columns, const Sums<float>& sums,
              bool add);
void multiply(const Extent& extent, const Rows<double>& rows, const Columns<double>& columns, const Sums<double>& sums,
              bool add);

/// How far rows of d values lie apart: an odd number of cache lines, so that a column's do not share a few sets of the
/// first-level cache.
inline std::int64_t row_stride(std::int64_t d) {
  return (round_up(d, kSixteen) / kSixteen | 1) * kSixteen;
}

/// Rows in W, [padded][row_stride(d)] of `count`, times `scale`, the others zeros: a matmul's rows, or its columns
/// where the sum runs over the rows.
template <typename T, typename W>
void pack_rows(const T* from, std::int64_t stride, std::int64_t count, std::int64_t padded, std::int64_t d, W scale,
               W* to) {
  const std::int64_t width = row_stride(d);
  for (std::int64_t row = 0; row < count; ++row) {
    W* own = to + row * width;
    load(from + row * stride, own, d);
    if (scale != 1)
      for (std::int64_t c = 0; c < d; ++c) own[c] *= scale;
    std::fill(own + d, own + width, W{0});
  }
  std::fill_n(to + count * width, (padded - count) * width, W{0});
}

/// Columns of a matmul whose sum runs over the width: packed rows [padded][row_stride(d)] to [padded/16][d][16].
template <typename W>
void transpose_rows(const W* rows, std::int64_t padded, std::int64_t d, W* to) {
  const std::int64_t width = row_stride(d);
  for (std::int64_t row = 0; row < padded; row += kSixteen)
    for (std::int64_t c = 0; c < d; ++c)
      for (std::int64_t lane = 0; lane < kSixteen; ++lane)
        to[row * d + c * kSixteen + lane] = rows[(row + lane) * width + c];
}

}  // namespace carryover::ops::opmath
