// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/bf16_attention.h"

#include <ATen/ATen.h>

#include "engine/core/error.h"
#include "engine/ops/parallel.h"

#ifdef __x86_64__
#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>

#define CARRYOVER_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))

namespace carryover::ops {

namespace {

using Half = std::uint16_t;  // a bf16's bits

constexpr std::int64_t kLanes = 16;    ///< fp32 values of a register
constexpr std::int64_t kColumns = 4;   ///< registers of a row of a product's block
constexpr std::int64_t kRows = 6;      ///< rows of it: 24 sums, 4 columns and a factor fit in 32 registers
constexpr std::int64_t kQueries = 48;  ///< that a tile of keys is used for while it is in the first-level cache
constexpr std::int64_t kTile = 256;    ///< keys

std::int64_t round_up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

/// A part's keys and values for one head or the heads that share them, as the products read them: pairs of what is
/// summed over lie side by side, [n/16][d/2][16][2] of keys and [n/2][d][2] of values, n rounded up to 64 with zeros.
struct PackedRows {
  std::vector<Half> keys, values;
  std::int64_t count = 0;
};

const Half* halves(const at::Tensor& tensor) {
  return reinterpret_cast<const Half*>(tensor.const_data_ptr<at::BFloat16>());
}

PackedRows pack(const at::Tensor& keys, const at::Tensor& values) {  // [n, d] each
  const std::int64_t n = keys.size(0), d = keys.size(1), padded = round_up(n, kColumns * kLanes);
  PackedRows packed{std::vector<Half>(static_cast<std::size_t>(padded * d)),
                    std::vector<Half>(static_cast<std::size_t>(padded * d)), n};
  const Half *k = halves(keys), *v = halves(values);
  for (std::int64_t row = 0; row < n; ++row) {
    Half* to = packed.keys.data() + row / kLanes * kLanes * d + row % kLanes * 2;
    const Half* from = k + row * keys.stride(0);
    for (std::int64_t pair = 0; pair < d / 2; ++pair)
      std::memcpy(to + pair * 2 * kLanes, from + 2 * pair, 2 * sizeof(Half));
  }
  for (std::int64_t row = 0; row < n; ++row) {
    Half* to = packed.values.data() + row / 2 * 2 * d + row % 2;
    const Half* from = v + row * values.stride(0);
    for (std::int64_t c = 0; c < d; ++c) to[2 * c] = from[c];
  }
  return packed;
}

/// sums[kRows][kColumns registers] += rows · block over `pairs` pairs. Row i's pairs follow one another at rows[i]; the
/// block's lie `pair_stride` apart, and its columns `column_stride`.
CARRYOVER_BF16 inline __attribute__((always_inline)) void multiply(const Half* const* rows, const Half* block,
                                                                   std::int64_t pairs, std::int64_t pair_stride,
                                                                   std::int64_t column_stride,
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

/// e^x for x ≤ 0, to 2e-7.
CARRYOVER_BF16 inline __attribute__((always_inline)) __m512 exponential(__m512 x) {
  const __m512 power = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
  __m512 r = _mm512_fnmadd_ps(power, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fmadd_ps(power, _mm512_set1_ps(2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.3888889e-3f);
  for (const float coefficient : {8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f})
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(coefficient));
  return _mm512_scalef_ps(p, power);
}

/// A block of up to kQueries queries of one head, and its running softmax.
struct Block {
  const Half* rows[kQueries];  ///< the last one repeated to a multiple of kRows
  std::int64_t count = 0, padded = 0, d = 0;
  float top[kQueries], sum[kQueries];
  std::vector<float> scores, values;  ///< [kQueries, kTile], [kQueries, d]
  std::vector<Half> weights;          ///< [kQueries, kTile]
};

CARRYOVER_BF16 void score(Block& block, const Half* keys, std::int64_t columns) {
  for (std::int64_t q = 0; q < block.padded; q += kRows)
    for (std::int64_t k = 0; k < columns; k += kColumns * kLanes) {
      __m512 sums[kRows][kColumns] = {};
      multiply(block.rows + q, keys + k * block.d, block.d / 2, 2 * kLanes, kLanes * block.d, sums);
      for (std::int64_t row = 0; row < kRows; ++row)
        for (std::int64_t c = 0; c < kColumns; ++c)
          _mm512_storeu_ps(block.scores.data() + (q + row) * kTile + k + c * kLanes, sums[row][c]);
    }
}

/// Scores of a query to weights, of which the first `visible` count; what was summed before is brought to the new top.
CARRYOVER_BF16 void weigh(Block& block, std::int64_t query, std::int64_t visible, std::int64_t columns, float scale) {
  float* scores = block.scores.data() + query * kTile;
  Half* weights = block.weights.data() + query * kTile;
  const auto mask_at = [visible](std::int64_t k) {
    const std::int64_t left = std::clamp<std::int64_t>(visible - k, 0, kLanes);
    return static_cast<__mmask16>((1u << left) - 1u);
  };
  __m512 most = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  for (std::int64_t k = 0; k < visible; k += kLanes)
    most = _mm512_mask_max_ps(most, mask_at(k), most, _mm512_loadu_ps(scores + k));
  const float top = std::max(block.top[query], _mm512_reduce_max_ps(most) * scale);
  const __m512 shift = _mm512_set1_ps(top), factor = _mm512_set1_ps(scale);
  __m512 sum = _mm512_setzero_ps();
  for (std::int64_t k = 0; k < columns; k += kLanes) {
    const __m512 x = _mm512_fmsub_ps(_mm512_loadu_ps(scores + k), factor, shift);
    const __m512 p = _mm512_maskz_mov_ps(mask_at(k), exponential(x));
    sum = _mm512_add_ps(sum, p);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + k), reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(p)));
  }
  const float before = std::exp(block.top[query] - top);
  block.top[query] = top;
  block.sum[query] = block.sum[query] * before + _mm512_reduce_add_ps(sum);
  if (before == 1) return;
  float* values = block.values.data() + query * block.d;
  for (std::int64_t c = 0; c < block.d; c += kLanes)
    _mm512_storeu_ps(values + c, _mm512_mul_ps(_mm512_loadu_ps(values + c), _mm512_set1_ps(before)));
}

CARRYOVER_BF16 void add_values(Block& block, const Half* values, std::int64_t columns) {
  for (std::int64_t q = 0; q < block.padded; q += kRows) {
    const Half* rows[kRows];
    for (std::int64_t row = 0; row < kRows; ++row) rows[row] = block.weights.data() + (q + row) * kTile;
    for (std::int64_t c0 = 0; c0 < block.d; c0 += kColumns * kLanes) {
      float* out = block.values.data() + q * block.d + c0;
      __m512 sums[kRows][kColumns];
      for (std::int64_t row = 0; row < kRows; ++row)
        for (std::int64_t c = 0; c < kColumns; ++c) sums[row][c] = _mm512_loadu_ps(out + row * block.d + c * kLanes);
      multiply(rows, values + 2 * c0, columns / 2, 2 * block.d, 2 * kLanes, sums);
      for (std::int64_t row = 0; row < kRows; ++row)
        for (std::int64_t c = 0; c < kColumns; ++c) _mm512_storeu_ps(out + row * block.d + c * kLanes, sums[row][c]);
    }
  }
}

CARRYOVER_BF16 void finish(const Block& block, Half* out, float* lse) {
  for (std::int64_t query = 0; query < block.count; ++query) {
    const __m512 share = _mm512_set1_ps(1 / block.sum[query]);
    for (std::int64_t c = 0; c < block.d; c += kLanes) {
      const __m512 value = _mm512_mul_ps(_mm512_loadu_ps(block.values.data() + query * block.d + c), share);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + query * block.d + c),
                          reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(value)));
    }
    lse[query] = block.top[query] + std::log(block.sum[query]);
  }
}

void begin(Block& block, const Half* queries, std::int64_t stride, std::int64_t count, std::int64_t d) {
  block.count = count;
  block.padded = round_up(count, kRows);
  block.d = d;
  for (std::int64_t q = 0; q < block.padded; ++q) block.rows[q] = queries + std::min(q, count - 1) * stride;
  std::fill_n(block.top, kQueries, -std::numeric_limits<float>::infinity());
  std::fill_n(block.sum, kQueries, 0.0f);
  block.scores.resize(kQueries * kTile);
  block.weights.assign(kQueries * kTile, 0);
  block.values.assign(static_cast<std::size_t>(kQueries * d), 0.0f);
}

/// `first` is the block's first query in its segment: in a causal part, query i sees keys 0 to i.
void add_part(Block& block, const PackedRows& part, bool causal, std::int64_t first, float scale) {
  const auto seen = [&](std::int64_t query) { return causal ? first + query + 1 : part.count; };
  for (std::int64_t tile = 0; tile < seen(block.count - 1); tile += kTile) {
    const std::int64_t keys = std::min(kTile, seen(block.count - 1) - tile);
    const std::int64_t columns = round_up(keys, kColumns * kLanes);
    score(block, part.keys.data() + tile * block.d, columns);
    for (std::int64_t query = 0; query < block.count; ++query) {
      const std::int64_t visible = std::clamp<std::int64_t>(seen(query) - tile, 0, keys);
      if (visible > 0)
        weigh(block, query, visible, columns, scale);
      else
        std::fill_n(block.weights.data() + query * kTile, columns, Half{0});
    }
    add_values(block, part.values.data() + tile * block.d, columns);
  }
}

}  // namespace

bool has_bf16_attention(const at::Tensor& queries) {
  static const bool supported = __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
                                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return supported && queries.scalar_type() == at::kBFloat16 && queries.size(3) % (kColumns * kLanes) == 0;
}

std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor& queries, const std::vector<SeenRows>& parts) {
  const std::int64_t G = queries.size(0), r = queries.size(1), m = queries.size(2), d = queries.size(3);
  CARRYOVER_CHECK(queries.stride(3) == 1);
  std::vector<std::vector<PackedRows>> packed;  // by part, then by [G, rows]
  for (const SeenRows& part : parts) {
    const bool shared = part.keys.stride(1) == 0 && part.values.stride(1) == 0;
    const std::int64_t rows = shared ? 1 : part.keys.size(1);
    CARRYOVER_CHECK(!part.causal || part.keys.size(2) == m);
    auto& own = packed.emplace_back(static_cast<std::size_t>(G * rows));
    at::parallel_for(0, G * rows, grain_of(part.keys.size(2) * d), [&](std::int64_t begin_row, std::int64_t end_row) {
      for (std::int64_t row = begin_row; row < end_row; ++row)
        own[static_cast<std::size_t>(row)] =
            pack(part.keys[row / rows][row % rows], part.values[row / rows][row % rows]);
    });
  }
  at::Tensor out = at::empty({G, r, m, d}, queries.options()),
             lse = at::empty({G, r, m}, queries.options().dtype(at::kFloat));
  auto* to = reinterpret_cast<Half*>(out.mutable_data_ptr<at::BFloat16>());
  auto* lse_to = lse.mutable_data_ptr<float>();
  const Half* from = halves(queries);
  const std::int64_t group_stride = queries.stride(0), head_stride = queries.stride(1), stride = queries.stride(2);
  const std::int64_t blocks = (m + kQueries - 1) / kQueries, heads = G * r;
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  at::parallel_for(0, blocks * heads, 1, [&](std::int64_t begin_unit, std::int64_t end_unit) {
    Block block;
    for (std::int64_t unit = begin_unit; unit < end_unit; ++unit) {
      // A causal block costs more the later it is: with the first comes the last, so that all threads have as much.
      const std::int64_t turn = unit / heads, head = unit % heads;
      const std::int64_t first = (turn % 2 == 0 ? turn / 2 : blocks - 1 - turn / 2) * kQueries;
      begin(block, from + head / r * group_stride + head % r * head_stride + first * stride, stride,
            std::min(kQueries, m - first), d);
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::int64_t rows = std::ssize(packed[part]) / G;
        const std::int64_t row = rows == 1 ? head / r : head;
        add_part(block, packed[part][static_cast<std::size_t>(row)], parts[part].causal, first, scale);
      }
      finish(block, to + (head * m + first) * d, lse_to + head * m + first);
    }
  });
  return {out, lse};
}

}  // namespace carryover::ops

#else

namespace carryover::ops {
bool has_bf16_attention(const at::Tensor&) {
  return false;
}
std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor&, const std::vector<SeenRows>&) {
  throw EngineError(Fault::Internal, "attention", "bf16 products are not there");
}
}  // namespace carryover::ops

#endif
