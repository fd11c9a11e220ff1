// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The parts of bf16 attention and its backward: packed operands, the two kinds of matmul, and the exponential. Internal
// to both.
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

constexpr std::int64_t kLanes = 16;                 ///< number of fp32 values in a register
constexpr std::int64_t kColumns = 4;                ///< number of registers in a row of a matmul's block
constexpr std::int64_t kWidth = kColumns * kLanes;  ///< number of columns in a matmul's block

/// Returns true if the processor has the features that CARRYOVER_BF16 needs, except tiles.
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

/// Copies `count` rows of a matmul to [padded, d], side by side; the other rows become zeros.
inline void copy_rows(const Bf16* from, std::int64_t stride, std::int64_t count, std::int64_t padded, std::int64_t d,
                      Bf16* to) {
  for (std::int64_t row = 0; row < count; ++row) std::copy_n(from + row * stride, d, to + row * d);
  std::fill_n(to + count * d, (padded - count) * d, Bf16{0});
}

/// Transposes sixteen rows of sixteen pairs each, [16][stride], to sixteen pairs of sixteen rows: [16][16].
CARRYOVER_BF16 inline void transpose_pairs(const Bf16* from, std::int64_t stride, Bf16* to) {
  __m512i a[16], b[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) a[i] = _mm512_loadu_si512(from + i * stride);
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
    a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
    a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
    a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {  // collects quarters from rows i%4 … of each half of the sixteen
    const int at = i / 4 * 8 + i % 4;
    b[at] = _mm512_shuffle_i32x4(a[at], a[at + 4], 0x88);
    b[at + 4] = _mm512_shuffle_i32x4(a[at], a[at + 4], 0xdd);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    _mm512_storeu_si512(to + i * 2 * kLanes, _mm512_shuffle_i32x4(b[i], b[i + 8], 0x88));
    _mm512_storeu_si512(to + (i + 8) * 2 * kLanes, _mm512_shuffle_i32x4(b[i], b[i + 8], 0xdd));
  }
}

/// Packs `count` rows as the columns of a matmul that sums over the width: [padded/16][d/2][16][2]; the other rows
/// become zeros.
CARRYOVER_BF16 inline void pack_lanes(const Bf16* from, std::int64_t stride, std::int64_t count, std::int64_t padded,
                                      std::int64_t d, Bf16* to) {
  const std::int64_t rows = count / kLanes * kLanes, columns = d / (2 * kLanes) * 2 * kLanes;  // the part that is
                                                                                               // transposed
  for (std::int64_t row = 0; row < rows; row += kLanes)
    for (std::int64_t c = 0; c < columns; c += 2 * kLanes)
      transpose_pairs(from + row * stride + c, stride, to + row * d + c * kLanes);
  std::fill_n(to + rows * d, (padded - rows) * d, Bf16{0});
  for (std::int64_t row = 0; row < count; ++row) {
    Bf16* lane = to + row / kLanes * kLanes * d + row % kLanes * 2;
    for (std::int64_t c = row < rows ? columns : 0; c < d; c += 2)
      std::memcpy(lane + c * kLanes, from + row * stride + c, 2 * sizeof(Bf16));
  }
}

/// Loads sixteen values, each into the lower half of 32 bits.
CARRYOVER_BF16_INLINE __m512i widened(const Bf16* from) {
  return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

/// Packs `count` rows as the columns of a matmul that sums over the rows: [padded/2][d][2]; the other rows become
/// zeros. d is a multiple of 16.
CARRYOVER_BF16 inline void pack_pairs(const Bf16* from, std::int64_t stride, std::int64_t count, std::int64_t padded,
                                      std::int64_t d, Bf16* to) {
  for (std::int64_t row = 0; row < count; row += 2) {
    const Bf16 *const one = from + row * stride, *const next = one + stride;
    for (std::int64_t c = 0; c < d; c += kLanes) {
      const __m512i upper = row + 1 < count ? _mm512_slli_epi32(widened(next + c), 16) : _mm512_setzero_si512();
      _mm512_storeu_si512(to + row * d + 2 * c, _mm512_or_si512(widened(one + c), upper));
    }
  }
  const std::int64_t done = round_up(count, 2);
  std::fill_n(to + done * d, (padded - done) * d, Bf16{0});
}

/// The columns of a block of kWidth in the layout of pack_lanes and pack_pairs: consecutive pairs are `pair_stride`
/// apart, consecutive groups of sixteen columns `column_stride`.
struct Columns {
  const Bf16* from = nullptr;
  std::int64_t pairs = 0, pair_stride = 0, column_stride = 0;
};

/// Matmul by AVX512-BF16, whose instruction multiplies two pairs and adds the products to a sum.
struct Dots {
  static constexpr std::int64_t kRows = 6;      ///< rows of a block: 24 sums, 4 columns and a factor fit in 32
                                                ///< registers
  static constexpr std::int64_t kSummed = 2;    ///< the number of summed values must be a multiple of this
  static constexpr std::int64_t kQueries = 48;  ///< queries in a block of attention, a multiple of kRows
  struct Use {};                                ///< held by a thread while it multiplies

  /// Computes out[kRows][kWidth] = or += rows[kRows][2 · pairs] · columns.
  CARRYOVER_BF16_INLINE static void multiply(const Bf16* rows, std::int64_t stride, const Columns& columns, bool add,
                                             float* out, std::int64_t out_stride) {
    __m512 sums[kRows][kColumns];  // set one by one: with = {}, the compiler fills memory
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

/// Returns e^x for x ≤ 0, with a relative error of at most 2e-7.
CARRYOVER_BF16_INLINE __m512 exponential(__m512 x) {
  const __m512 power = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
  __m512 r = _mm512_fnmadd_ps(power, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fmadd_ps(power, _mm512_set1_ps(2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.3888889e-3f);
  for (const float coefficient : {8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f})
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(coefficient));
  return _mm512_scalef_ps(p, power);
}

/// Stores sixteen values, rounded.
CARRYOVER_BF16_INLINE void store_bf16(Bf16* to, __m512 values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(values)));
}

}  // namespace carryover::ops::bf16

#endif
