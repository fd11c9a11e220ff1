// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The parts of attention in fp32 and fp64: operands in the layout that its matmuls read, and the matmul. Internal to
// it.
#include <cstdint>

#include "engine/ops/cpu/lines.h"
#include "engine/ops/cpu/simd_rows.h"

namespace carryover::ops::opmath {

constexpr std::int64_t kSixteen = 16;  ///< columns that are side by side; rows and columns are padded to multiples of
                                       ///< it

/// The rows of a matmul. Value (r, k) is from[r · stride + k · step].
template <typename W>
struct Rows {
  const W* from = nullptr;
  std::int64_t stride = 0, step = 1;
};

/// The columns of a matmul. Value (k, c) is from[c / 16 · sixteen + k · stride + c % 16].
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
  std::int64_t rows = 0, columns = 0, summed = 0;  ///< rows are even, columns a multiple of 16
};

/// Computes sums[r][c] = or += Σ rows(r, k) · columns(k, c), in order of k.
void multiply(const Extent& extent, const Rows<float>& rows, const Columns<float>& columns, const Sums<float>& sums,
              bool add);
void multiply(const Extent& extent, const Rows<double>& rows, const Columns<double>& columns, const Sums<double>& sums,
              bool add);

/// Returns the distance between rows of d values: an odd number of cache lines, so that a column's values do not share
/// a few sets of the first-level cache.
inline std::int64_t row_stride(std::int64_t d) {
  return (round_up(d, kSixteen) / kSixteen | 1) * kSixteen;
}

/// Packs `count` rows, times `scale`, in W to [padded][row_stride(d)]; the other rows become zeros. They serve as a
/// matmul's rows, or as its columns if it sums over the rows.
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

/// Transposes packed rows [padded][row_stride(d)] to [padded/16][d][16], the columns of a matmul that sums over the
/// width.
template <typename W>
void transpose_rows(const W* rows, std::int64_t padded, std::int64_t d, W* to) {
  const std::int64_t width = row_stride(d);
  for (std::int64_t row = 0; row < padded; row += kSixteen)
    for (std::int64_t c = 0; c < d; ++c)
      for (std::int64_t lane = 0; lane < kSixteen; ++lane)
        to[row * d + c * kSixteen + lane] = rows[(row + lane) * width + c];
}

}  // namespace carryover::ops::opmath
