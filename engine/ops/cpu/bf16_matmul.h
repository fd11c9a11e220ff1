// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What bf16 attention and its backward are made of: packed operands, their two kinds of matmul, the exponential.
// Internal to both.
#ifdef __x86_64__
#include <ATen/core/Tensor.h>
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/ops/cpu/lines.h"

#define CARRYOVER_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16")))
#define CARRYOVER_BF16_INLINE CARRYOVER_BF16 inline __attribute__((always_inline))

namespace carryover::ops::bf16 {

using Bf16 = std::uint16_t;  // a bf16's bits

constexpr std::int64_t kLanes = 16;                 ///< fp32 values of a register
constexpr std::int64_t kColumns = 4;                ///< registers of a row of a matmul's block
constexpr std::int64_t kWidth = kColumns * kLanes;  ///< columns of a matmul's block

/// Whether the processor has what CARRYOVER_BF16 needs, tiles aside.
inline bool has_dots() {
  static const bool there = __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return there;
}

inline const Bf16* bits(const at::Tensor& tensor) {
  return reinterpret_cast<const Bf16*>(tensor.const_data_ptr<at::BFloat16>());
}

inline Bf16* mutable_bits(const at::Tensor& tensor) {
  return reinterpret_cast<Bf16*>(tensor.mutable_data_ptr<at::BFloat16>());
}

/// Rows of a matmul, side by side: [padded, d] of `count` rows, the others zeros.
inline void copy_rows(const Bf16* from, std::int64_t stride, std::int64_t count, std::int64_t padded, std::int64_t d,
                      Bf16* to) {
  for (std::int64_t row = 0; row < count; ++row) std::copy_n(from + row * stride, d, to + row * d);
  std::fill_n(to + count * d, (padded - count) * d, Bf16{0});
}

/// Columns of a matmul whose sum runs over the width: [padded/16][d/2][16][2] of `count` rows, the others zeros.
inline void pack_lanes(const Bf16* from, std::int64_t stride, std::int64_t count, std::int64_t padded, std::int64_t d,
                       Bf16* to) {
  if (count < padded) std::fill_n(to, padded * d, Bf16{0});
  for (std::int64_t row = 0; row < count; ++row) {
    Bf16* lane = to + row / kLanes * kLanes * d + row % kLanes * 2;
    for (std::int64_t pair = 0; pair < d / 2; ++pair)
      std::memcpy(lane + pair * 2 * kLanes, from + row * stride + 2 * pair, 2 * sizeof(Bf16));
  }
}

/// Columns of a matmul whose sum runs over the rows: [padded/2][d][2] of `count` rows, the others zeros.
inline void pack_pairs(const Bf16* from, std::int64_t stride, std::int64_t count, std::int64_t padded, std::int64_t d,
                       Bf16* to) {
  if (count < padded) std::fill_n(to, padded * d, Bf16{0});
  for (std::int64_t row = 0; row < count; ++row) {
    Bf16* side = to + row / 2 * 2 * d + row % 2;
    for (std::int64_t c = 0; c < d; ++c) side[2 * c] = from[row * stride + c];
  }
}

/// The columns of a block of kWidth, as pack_lanes and pack_pairs lay them: a pair's are `pair_stride` from the next
/// pair's, and sixteen columns `column_stride` from the next sixteen.
struct Columns {
  const Bf16* from = nullptr;
  std::int64_t pairs = 0, pair_stride = 0, column_stride = 0;
};

/// Matmul by AVX512-BF16, which multiplies two pairs and adds them to a sum.
struct Dots {
  static constexpr std::int64_t kRows = 6;      ///< of a block: 24 sums, 4 columns and a factor fit in 32 registers
  static constexpr std::int64_t kSummed = 2;    ///< values that a sum must be a multiple of
  static constexpr std::int64_t kQueries = 48;  ///< of attention's blocks, a multiple of kRows
  struct Use {};                                ///< a thread's, while it multiplies

  /// out[kRows][kWidth] = or += rows[kRows][2 · pairs] · columns.
  CARRYOVER_BF16_INLINE static void multiply(const Bf16* rows, std::int64_t stride, const Columns& columns, bool add,
                                             float* out, std::int64_t out_stride) {
    __m512 sums[kRows][kColumns];  // set one by one: for = {}, the compiler fills memory
    for (std::int64_t row = 0; row < kRows; ++row)
      for (std::int64_t c = 0; c < kColumns; ++c)
        sums[row][c] = add ? _mm512_loadu_ps(out + row * out_stride + c * kLanes) : _mm512_setzero_ps();
    for (std::int64_t pair = 0; pair < columns.pairs; ++pair) {
      __m512bh column[kColumns];
      for (std::int64_t c = 0; c < kColumns; ++c)
        column[c] = reinterpret_cast<__m512bh>(
            _mm512_loadu_si512(columns.from + pair * columns.pair_stride + c * columns.column_stride));
      for (std::int64_t row = 0; row < kRows; ++row) {
        int both;
        std::memcpy(&both, rows + row * stride + 2 * pair, sizeof both);
        const auto factor = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
        for (std::int64_t c = 0; c < kColumns; ++c) sums[row][c] = _mm512_dpbf16_ps(sums[row][c], factor, column[c]);
      }
    }
    for (std::int64_t row = 0; row < kRows; ++row)
      for (std::int64_t c = 0; c < kColumns; ++c) _mm512_storeu_ps(out + row * out_stride + c * kLanes, sums[row][c]);
  }
};

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
CARRYOVER_BF16_INLINE void store_bf16(Bf16* to, __m512 values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(values)));
}

}  // namespace carryover::ops::bf16

#endif
