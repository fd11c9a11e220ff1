// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What bf16 attention and its backward are made of: packed operands, their product, the exponential. Internal to both.
#ifdef __x86_64__
#include <ATen/core/Tensor.h>
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#define CARRYOVER_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#define CARRYOVER_BF16_INLINE CARRYOVER_BF16 inline __attribute__((always_inline))

namespace carryover::ops::bf16 {

using Half = std::uint16_t;  // a bf16's bits

constexpr std::int64_t kLanes = 16;                 ///< fp32 values of a register
constexpr std::int64_t kColumns = 4;                ///< registers of a row of a product's block
constexpr std::int64_t kRows = 6;                   ///< rows of it: 24 sums, 4 columns and a factor fit in 32 registers
constexpr std::int64_t kWidth = kColumns * kLanes;  ///< columns of a product's block

inline std::int64_t round_up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

inline const Half* halves(const at::Tensor& tensor) {
  return reinterpret_cast<const Half*>(tensor.const_data_ptr<at::BFloat16>());
}

inline Half* mutable_halves(const at::Tensor& tensor) {
  return reinterpret_cast<Half*>(tensor.mutable_data_ptr<at::BFloat16>());
}

/// Columns of a product whose sum runs over the width: [padded/16][d/2][16][2] of `count` rows, the others zeros.
inline void pack_lanes(const Half* from, std::int64_t stride, std::int64_t count, std::int64_t padded, std::int64_t d,
                       Half* to) {
  if (count < padded) std::fill_n(to, padded * d, Half{0});
  for (std::int64_t row = 0; row < count; ++row) {
    Half* lane = to + row / kLanes * kLanes * d + row % kLanes * 2;
    for (std::int64_t pair = 0; pair < d / 2; ++pair)
      std::memcpy(lane + pair * 2 * kLanes, from + row * stride + 2 * pair, 2 * sizeof(Half));
  }
}

/// Columns of a product whose sum runs over the rows: [padded/2][d][2] of `count` rows, the others zeros.
inline void pack_pairs(const Half* from, std::int64_t stride, std::int64_t count, std::int64_t padded, std::int64_t d,
                       Half* to) {
  if (count < padded) std::fill_n(to, padded * d, Half{0});
  for (std::int64_t row = 0; row < count; ++row) {
    Half* side = to + row / 2 * 2 * d + row % 2;
    for (std::int64_t c = 0; c < d; ++c) side[2 * c] = from[row * stride + c];
  }
}

/// sums[kRows][kColumns registers] += rows · block over `pairs` pairs. Row i's pairs follow one another at rows[i]; the
/// block's lie `pair_stride` apart, and its columns `column_stride`.
CARRYOVER_BF16_INLINE void multiply(const Half* const* rows, const Half* block, std::int64_t pairs,
                                    std::int64_t pair_stride, std::int64_t column_stride,
                                    __m512 (&sums)[kRows][kColumns]) {
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    __m512bh columns[kColumns];
    for (std::int64_t c = 0; c < kColumns; ++c)
      columns[c] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(block + pair * pair_stride + c * column_stride));
    for (std::int64_t row = 0; row < kRows; ++row) {
      int both;
      std::memcpy(&both, rows[row] + 2 * pair, sizeof both);
      const auto factor = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
      for (std::int64_t c = 0; c < kColumns; ++c) sums[row][c] = _mm512_dpbf16_ps(sums[row][c], factor, columns[c]);
    }
  }
}

/// Not by = {}, for which the compiler fills memory.
CARRYOVER_BF16_INLINE void clear(__m512 (&sums)[kRows][kColumns]) {
  for (auto& row : sums)
    for (__m512& sum : row) sum = _mm512_setzero_ps();
}

/// out[kRows][kWidth] += rows · block, whose columns lie side by side; out's rows lie `out_stride` apart.
CARRYOVER_BF16_INLINE void add_product(const Half* const* rows, const Half* block, std::int64_t pairs,
                                       std::int64_t pair_stride, float* out, std::int64_t out_stride) {
  __m512 sums[kRows][kColumns];
  for (std::int64_t row = 0; row < kRows; ++row)
    for (std::int64_t c = 0; c < kColumns; ++c) sums[row][c] = _mm512_loadu_ps(out + row * out_stride + c * kLanes);
  multiply(rows, block, pairs, pair_stride, 2 * kLanes, sums);
  for (std::int64_t row = 0; row < kRows; ++row)
    for (std::int64_t c = 0; c < kColumns; ++c) _mm512_storeu_ps(out + row * out_stride + c * kLanes, sums[row][c]);
}

/// e^x for x ≤ 0, to 2e-7.
CARRYOVER_BF16_INLINE __m512 exponential(__m512 x) {
  const __m512 power = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
  __m512 r = _mm512_fnmadd_ps(power, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fmadd_ps(power, _mm512_set1_ps(2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.3888889e-3f);
  for (const float coefficient : {8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f})
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(coefficient));
  return _mm512_scalef_ps(p, power);
}

/// Sixteen values, rounded.
CARRYOVER_BF16_INLINE void store_halves(Half* to, __m512 values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(values)));
}

}  // namespace carryover::ops::bf16

#endif
