// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/packed_weight.h"

#include <ATen/ATen.h>

#include <cstring>
#include <vector>

#include "engine/base/error.h"
#include "engine/ops/cpu/simd_rows.h"
#include "engine/runtime/parallel.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace carryover::ops {

namespace {

constexpr std::int64_t kQuads = kPackedBlock / 4;  ///< groups of four values in a block; a group fills a lane's 32 bits
constexpr std::int64_t kQuadBytes = kPackedRows * 4;
constexpr std::int64_t kScaleBytes = kPackedRows * sizeof(at::Half);
constexpr std::int64_t kBlockBytes = kScaleBytes + kQuads * kQuadBytes;

/// Sixteen rows of a weight.
struct RowGroup {
  std::uint8_t* bytes;
  std::int64_t blocks;

  at::Half* scales(std::int64_t block) const { return reinterpret_cast<at::Half*>(bytes + block * kBlockBytes); }
  std::uint8_t* values(std::int64_t block) const { return bytes + block * kBlockBytes + kScaleBytes; }
};

RowGroup group_of(const at::Tensor& packed, std::int64_t index) {
  auto* bytes = static_cast<std::uint8_t*>(packed.data_ptr());
  return {bytes + index * packed.stride(0), packed.size(1)};
}

/// Returns the largest magnitude of a block, or NaN if a value is not finite.
[[gnu::always_inline]] inline float largest_magnitude(const float* block) {
  float largest = 0, poison = 0;
  for (std::int64_t i = 0; i < kPackedBlock; ++i) {
    largest = std::max(largest, std::abs(block[i]));
    poison += block[i] * 0;
  }
  return largest + poison;
}

/// Computes out = block / scale, rounded to the nearest; zeros if the scale can't divide.
[[gnu::always_inline]] inline void divide(const float* block, float scale, float most, std::int32_t* out) {
  const bool usable = std::isfinite(scale) && scale > 0;
  for (std::int64_t i = 0; i < kPackedBlock; ++i) {
    const float exact = usable ? std::nearbyint(block[i] / scale) : 0;
    out[i] = static_cast<std::int32_t>(std::min(std::max(exact, -most), most));
  }
}

CARRYOVER_VECTORISED void pack_row(const float* row, std::int64_t place, const RowGroup& group) {
  constexpr float most = 127;
  for (std::int64_t block = 0; block < group.blocks; ++block, row += kPackedBlock) {
    const at::Half scale = largest_magnitude(row) / most;
    group.scales(block)[place] = scale;
    std::int32_t values[kPackedBlock];
    divide(row, scale, most, values);  // by the rounded scale
    std::uint8_t* bytes = group.values(block) + place * 4;
    for (std::int64_t i = 0; i < kPackedBlock; ++i)
      bytes[i / 4 * kQuadBytes + i % 4] = static_cast<std::uint8_t>(values[i] + 128);
  }
}

/// Unpacks one row. `bytes`: room for a row's bytes.
CARRYOVER_VECTORISED void unpack_row(const RowGroup& group, std::int64_t place, std::uint8_t* bytes, float* row) {
  for (std::int64_t block = 0; block < group.blocks; ++block)
    for (std::int64_t quad = 0; quad < kQuads; ++quad)
      std::memcpy(bytes + block * kPackedBlock + quad * 4, group.values(block) + quad * kQuadBytes + place * 4, 4);
  for (std::int64_t block = 0; block < group.blocks; ++block, row += kPackedBlock, bytes += kPackedBlock) {
    const auto scale = static_cast<float>(group.scales(block)[place]);
    for (std::int64_t i = 0; i < kPackedBlock; ++i) row[i] = scale * static_cast<float>(bytes[i] - 128);
  }
}

void store_row(const float* row, at::BFloat16* out, std::int64_t n) {
  store(row, out, n);
}
template <typename T>
void store_row(const float* row, T* out, std::int64_t n) {
  std::copy(row, row + n, out);
}
void load_row(const at::BFloat16* row, float* out, std::int64_t n) {
  load(row, out, n);
}
template <typename T>
void load_row(const T* row, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(row[i]);
}

/// Returns [count, inner] of `type`: row i is the weight's row place(i).
template <typename Place>
at::Tensor unpack(const at::Tensor& packed, std::int64_t count, at::ScalarType type, const Place& place) {
  const std::int64_t inner = packed_inner(packed);
  const at::Tensor out = at::empty({count, inner}, type);
  CARRYOVER_DISPATCH(type, "unpack", [&] {
    auto* rows = out.mutable_data_ptr<scalar_t>();
    parallel_for(0, count, grain_of(inner), [&](std::int64_t first, std::int64_t last) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(inner));
      std::vector<float> row(bytes.size());
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t from = place(i);
        unpack_row(group_of(packed, from / kPackedRows), from % kPackedRows, bytes.data(), row.data());
        store_row(row.data(), rows + i * inner, inner);
      }
    });
  });
  return out;
}

/// Returns the index at which RoundedRow::pairs holds the i-th value of a group of four.
constexpr std::int64_t pair_place(std::int64_t i) {
  return i % 2 * 2 + i / 2;
}

/// A row in blocks of 16-bit integers with a scale each, in the two layouts that matmuls read.
struct RoundedRow {
  std::vector<std::int8_t> high, low;  ///< 256 · high + low
  std::vector<std::int16_t> pairs;     ///< in each group of four, the even places and then the odd ones
  std::vector<float> scales;
  std::vector<std::int32_t> offsets;  ///< 128 · the block's sum: the excess that the values' bytes add

  template <typename T>
  RoundedRow(const T* x, std::int64_t n);
};

CARRYOVER_VECTORISED void round_block(const float* x, std::int8_t* high, std::int8_t* low, std::int16_t* pairs,
                                      float* scale, std::int32_t* offset) {
  constexpr float most = 127 * 256;  // high and low both fit in a signed byte
  *scale = largest_magnitude(x) / most;
  std::int32_t values[kPackedBlock], sum = 0;
  divide(x, *scale, most, values);
  for (std::int64_t i = 0; i < kPackedBlock; ++i) {
    low[i] = static_cast<std::int8_t>(values[i] & 0xff);
    high[i] = static_cast<std::int8_t>((values[i] + 128) >> 8);
    pairs[i / 4 * 4 + pair_place(i % 4)] = static_cast<std::int16_t>(values[i]);
    sum += values[i];
  }
  *offset = 128 * sum;
}

template <typename T>
RoundedRow::RoundedRow(const T* x, std::int64_t n)
    : high(static_cast<std::size_t>(n)),
      low(high.size()),
      pairs(high.size()),
      scales(high.size() / kPackedBlock),
      offsets(scales.size()) {
  float values[kPackedBlock];
  for (std::size_t block = 0; block < scales.size(); ++block) {
    const std::size_t first = block * kPackedBlock;
    load_row(x + first, values, kPackedBlock);
    round_block(values, high.data() + first, low.data() + first, pairs.data() + first, &scales[block], &offsets[block]);
  }
}

/// Computes out[row] = Σ over blocks of scale · x's scale · (values · x − offset), for the 16 rows of a group.
using GroupMatmul = void (*)(const RowGroup& group, const RoundedRow& x, float* out);

CARRYOVER_VECTORISED void multiply_group(const RowGroup& group, const RoundedRow& x, float* out) {
  using Lanes = std::int32_t __attribute__((vector_size(kPackedRows * sizeof(std::int32_t))));
  float sums[kPackedRows] = {};
  for (std::int64_t block = 0; block < group.blocks; ++block) {
    Lanes products = Lanes{} - x.offsets[static_cast<std::size_t>(block)];
    const std::uint8_t* values = group.values(block);
    for (std::int64_t quad = 0; quad < kQuads; ++quad) {
      Lanes bytes;
      std::memcpy(&bytes, values + quad * kQuadBytes, sizeof bytes);
      const std::int16_t* factors = x.pairs.data() + block * kPackedBlock + quad * 4;
      for (std::int64_t i = 0; i < 4; ++i, bytes >>= 8) products += (bytes & 0xff) * factors[pair_place(i)];
    }
    const at::Half* scales = group.scales(block);
    for (std::int64_t row = 0; row < kPackedRows; ++row)
      sums[row] = std::fma(static_cast<float>(products[row]),
                           static_cast<float>(scales[row]) * x.scales[static_cast<std::size_t>(block)], sums[row]);
  }
  std::copy(sums, sums + kPackedRows, out);
}

#ifdef __x86_64__
/// Does the same by AVX2's multiplication of 16-bit integers: a lane's bytes are split into the even and the odd ones.
__attribute__((target("avx2,fma,f16c"))) void multiply_group_avx2(const RowGroup& group, const RoundedRow& x,
                                                                  float* out) {
  constexpr std::int64_t half = kPackedRows / 2;  // rows per register
  __m256 sums[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  const __m256i low_bytes = _mm256_set1_epi32(0x00ff00ff);
  for (std::int64_t block = 0; block < group.blocks; ++block) {
    const auto at = static_cast<std::size_t>(block);
    const std::uint8_t* values = group.values(block);
    const __m256i offset = _mm256_set1_epi32(-x.offsets[at]);
    __m256i products[2] = {offset, offset};
#pragma GCC unroll 2  // all eight at once do not fit in the registers
    for (std::int64_t quad = 0; quad < kQuads; ++quad) {
      std::int32_t even_pair, odd_pair;
      std::memcpy(&even_pair, x.pairs.data() + block * kPackedBlock + quad * 4, 4);
      std::memcpy(&odd_pair, x.pairs.data() + block * kPackedBlock + quad * 4 + 2, 4);
      const __m256i even = _mm256_set1_epi32(even_pair), odd = _mm256_set1_epi32(odd_pair);
      for (std::int64_t side = 0; side < 2; ++side) {
        const __m256i bytes =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + quad * kQuadBytes + side * kQuadBytes / 2));
        const __m256i of_even = _mm256_madd_epi16(_mm256_and_si256(bytes, low_bytes), even);
        const __m256i of_odd = _mm256_madd_epi16(_mm256_srli_epi16(bytes, 8), odd);
        products[side] = _mm256_add_epi32(products[side], _mm256_add_epi32(of_even, of_odd));
      }
    }
    for (std::int64_t side = 0; side < 2; ++side) {
      const auto* scales = reinterpret_cast<const __m128i*>(group.scales(block) + side * half);
      const __m256 scale = _mm256_mul_ps(_mm256_cvtph_ps(_mm_loadu_si128(scales)), _mm256_set1_ps(x.scales[at]));
      sums[side] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(products[side]), scale, sums[side]);
    }
  }
  for (std::int64_t side = 0; side < 2; ++side) _mm256_storeu_ps(out + side * half, sums[side]);
}

/// Does the same by AVX512-VNNI's dot products of bytes.
__attribute__((target("avx512f,avx512vnni"))) void multiply_group_vnni(const RowGroup& group, const RoundedRow& x,
                                                                       float* out) {
  __m512 sums = _mm512_setzero_ps();
  for (std::int64_t block = 0; block < group.blocks; ++block) {
    const std::uint8_t* values = group.values(block);
    const std::int8_t *high = x.high.data() + block * kPackedBlock, *low = x.low.data() + block * kPackedBlock;
    __m512i of_high = _mm512_setzero_si512(), of_low = _mm512_set1_epi32(-x.offsets[static_cast<std::size_t>(block)]);
    for (std::int64_t quad = 0; quad < kQuads; ++quad) {
      const __m512i bytes = _mm512_loadu_si512(values + quad * kQuadBytes);
      std::int32_t high_bytes, low_bytes;
      std::memcpy(&high_bytes, high + quad * 4, 4);
      std::memcpy(&low_bytes, low + quad * 4, 4);
      of_high = _mm512_dpbusd_epi32(of_high, bytes, _mm512_set1_epi32(high_bytes));
      of_low = _mm512_dpbusd_epi32(of_low, bytes, _mm512_set1_epi32(low_bytes));
    }
    const __m512 products = _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_slli_epi32(of_high, 8), of_low));
    const __m512 scales = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(group.scales(block))));
    sums = _mm512_fmadd_ps(products, _mm512_mul_ps(scales, _mm512_set1_ps(x.scales[static_cast<std::size_t>(block)])),
                           sums);
  }
  _mm512_storeu_ps(out, sums);
}
#endif

PackedMatmul allowed_matmul = PackedMatmul::Bytes;

GroupMatmul group_matmul() {
#ifdef __x86_64__
  static const bool bytes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"),
                    pairs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                            __builtin_cpu_supports("f16c");
  if (bytes && allowed_matmul == PackedMatmul::Bytes) return multiply_group_vnni;
  if (pairs && allowed_matmul != PackedMatmul::Plain) return multiply_group_avx2;
#endif
  return multiply_group;
}

}  // namespace

void allow_packed_matmul(PackedMatmul best) {
  allowed_matmul = best;
}

bool can_pack(std::int64_t outer, std::int64_t inner) {
  return outer % kPackedRows == 0 && inner % kPackedBlock == 0;
}

at::Tensor empty_packed(std::int64_t outer, std::int64_t inner) {
  CARRYOVER_CHECK(can_pack(outer, inner));
  return at::empty({outer / kPackedRows, inner / kPackedBlock, kBlockBytes}, at::kByte);
}

bool is_packed(const at::Tensor& weight) {
  return weight.scalar_type() == at::kByte;
}

std::int64_t packed_outer(const at::Tensor& packed) {
  return packed.size(0) * kPackedRows;
}

std::int64_t packed_inner(const at::Tensor& packed) {
  return packed.size(1) * kPackedBlock;
}

void pack_weight_rows(const float* rows, std::int64_t first, std::int64_t count, const at::Tensor& packed) {
  CARRYOVER_CHECK(first % kPackedRows == 0 && count % kPackedRows == 0);
  const std::int64_t inner = packed_inner(packed);
  for (std::int64_t row = 0; row < count; ++row)
    pack_row(rows + row * inner, row % kPackedRows, group_of(packed, (first + row) / kPackedRows));
}

at::Tensor unpack_weight_rows(const at::Tensor& packed, std::int64_t first, std::int64_t count, at::ScalarType type) {
  return unpack(packed, count, type, [first](std::int64_t i) { return first + i; });
}

at::Tensor packed_embedding(const at::Tensor& packed, const at::Tensor& ids, at::ScalarType type) {
  const at::Tensor dense = ids.contiguous();
  const auto* rows = dense.const_data_ptr<std::int64_t>();
  return unpack(packed, ids.size(0), type, [rows](std::int64_t i) { return rows[i]; });
}

at::Tensor packed_row_matmul(const at::Tensor& x, const at::Tensor& packed) {
  const at::Tensor dense = x.contiguous();
  at::Tensor out = at::empty({1, packed_outer(packed)}, x.options());
  CARRYOVER_DISPATCH(x.scalar_type(), "packed_row_matmul", [&] {
    const RoundedRow row(dense.const_data_ptr<scalar_t>(), dense.size(1));
    auto* products = out.mutable_data_ptr<scalar_t>();
    const GroupMatmul multiply = group_matmul();
    const std::int64_t grain = grain_of(kPackedRows * dense.size(1) / 4);
    parallel_for(0, packed.size(0), grain, [&](std::int64_t first, std::int64_t last) {
      float sums[kPackedRows];
      for (std::int64_t group = first; group < last; ++group) {
        multiply(group_of(packed, group), row, sums);
        store_row(sums, products + group * kPackedRows, kPackedRows);
      }
    });
  });
  return out;
}

}  // namespace carryover::ops
