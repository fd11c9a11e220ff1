// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/opmath_matmul.h"

#include <cstring>

namespace carryover::ops::opmath {

namespace {

/// Multiplies a block whose sums stay in registers.
template <typename W, int Bytes, int RowCount, int Vectors>
[[gnu::always_inline]] inline void multiply_block(const Rows<W>& rows, const Columns<W>& columns, std::int64_t summed,
                                                  const Sums<W>& sums, bool add) {
  using Vector = typename Simd<W, Bytes>::Vector;
  constexpr std::int64_t width = Bytes / sizeof(W);
  Vector all[RowCount][Vectors];
#pragma GCC unroll 16
  for (int r = 0; r < RowCount; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      if (add)
        std::memcpy(&all[r][v], sums.to + r * sums.stride + v * width, sizeof(Vector));
      else
        all[r][v] = Vector{};
    }
  const W *row = rows.from, *column = columns.from;
  for (std::int64_t k = 0; k < summed; ++k, row += rows.step, column += columns.stride) {
    Vector values[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      std::memcpy(&values[v], column + v * width / kSixteen * columns.sixteen + v * width % kSixteen, sizeof(Vector));
#pragma GCC unroll 16
    for (int r = 0; r < RowCount; ++r) {
      const W factor = row[r * rows.stride];
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) all[r][v] += values[v] * factor;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < RowCount; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) std::memcpy(sums.to + r * sums.stride + v * width, &all[r][v], sizeof(Vector));
}

/// Multiplies all rows by a block of columns, which stays in the first-level cache.
template <typename W, int Bytes, int Vectors>
[[gnu::always_inline]] inline void multiply_rows(const Extent& extent, Rows<W> rows, const Columns<W>& columns,
                                                 Sums<W> sums, bool add) {
  constexpr int strip = Bytes == 64 ? 12 : 6;  // for 32 or 16 registers
  std::int64_t left = extent.rows;
  for (; left >= strip; left -= strip, rows.from += strip * rows.stride, sums.to += strip * sums.stride)
    multiply_block<W, Bytes, strip, Vectors>(rows, columns, extent.summed, sums, add);
  for (; left > 0; left -= 2, rows.from += 2 * rows.stride, sums.to += 2 * sums.stride)
    multiply_block<W, Bytes, 2, Vectors>(rows, columns, extent.summed, sums, add);
}

template <typename W, int Bytes>
[[gnu::always_inline]] inline void multiply_all(const Extent& extent, const Rows<W>& rows, const Columns<W>& columns,
                                                const Sums<W>& sums, bool add) {
  constexpr std::int64_t width = Bytes / sizeof(W);
  const auto at = [&](std::int64_t c) {
    return Columns<W>{columns.from + c / kSixteen * columns.sixteen + c % kSixteen, columns.stride, columns.sixteen};
  };
  std::int64_t c = 0;
  for (; c + 2 * width <= extent.columns; c += 2 * width)
    multiply_rows<W, Bytes, 2>(extent, rows, at(c), {sums.to + c, sums.stride}, add);
  if (c < extent.columns) multiply_rows<W, Bytes, 1>(extent, rows, at(c), {sums.to + c, sums.stride}, add);
}

#define CARRYOVER_MATMUL(W, TARGET, BYTES)                                                                      \
  TARGET void matmul(const Extent& extent, const Rows<W>& rows, const Columns<W>& columns, const Sums<W>& sums, \
                     bool add) {                                                                                \
    multiply_all<W, BYTES>(extent, rows, columns, sums, add);                                                   \
  }
CARRYOVER_FOR_TARGETS(CARRYOVER_MATMUL, float)
CARRYOVER_FOR_TARGETS(CARRYOVER_MATMUL, double)
#undef CARRYOVER_MATMUL

}  // namespace

void multiply(const Extent& extent, const Rows<float>& rows, const Columns<float>& columns, const Sums<float>& sums,
              bool add) {
  matmul(extent, rows, columns, sums, add);
}
void multiply(const Extent& extent, const Rows<double>& rows, const Columns<double>& columns, const Sums<double>& sums,
              bool add) {
  matmul(extent, rows, columns, sums, add);
}

}  // namespace carryover::ops::opmath
