// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/bf16_attention.h"

#include <ATen/ATen.h>

#include "engine/core/error.h"
#include "engine/ops/bf16_tiles.h"
#include "engine/ops/parallel.h"

#ifdef __x86_64__
#include <cmath>
#include <limits>

namespace carryover::ops {

namespace {

using namespace bf16;

constexpr std::int64_t kQueries = 48;  ///< that a tile of keys is used for while it is in the first-level cache
constexpr std::int64_t kTile = 256;    ///< keys

/// A part's keys and values for one head or the heads that share them, as the products read them: pairs of what is
/// summed over lie side by side, [n/16][d/2][16][2] of keys and [n/2][d][2] of values, n rounded up to 64 with zeros.
struct PackedRows {
  std::vector<Half> keys, values;
  std::int64_t count = 0;
};

PackedRows pack(const at::Tensor& keys, const at::Tensor& values) {  // [n, d] each
  const std::int64_t n = keys.size(0), d = keys.size(1), padded = round_up(n, kWidth);
  PackedRows packed{std::vector<Half>(static_cast<std::size_t>(padded * d)),
                    std::vector<Half>(static_cast<std::size_t>(padded * d)), n};
  pack_lanes(halves(keys), keys.stride(0), n, padded, d, packed.keys.data());
  pack_pairs(halves(values), values.stride(0), n, padded, d, packed.values.data());
  return packed;
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
    for (std::int64_t k = 0; k < columns; k += kWidth) {
      __m512 sums[kRows][kColumns];
      clear(sums);
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
    store_halves(weights + k, p);
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
    for (std::int64_t c = 0; c < block.d; c += kWidth)
      add_product(rows, values + 2 * c, columns / 2, 2 * block.d, block.values.data() + q * block.d + c, block.d);
  }
}

CARRYOVER_BF16 void finish(const Block& block, Half* out, std::int64_t stride, float* lse) {
  for (std::int64_t query = 0; query < block.count; ++query) {
    const __m512 share = _mm512_set1_ps(1 / block.sum[query]);
    for (std::int64_t c = 0; c < block.d; c += kLanes) {
      const __m512 value = _mm512_mul_ps(_mm512_loadu_ps(block.values.data() + query * block.d + c), share);
      store_halves(out + query * stride + c, value);
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
    const std::int64_t columns = round_up(keys, kWidth);
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
  return supported && queries.scalar_type() == at::kBFloat16 && queries.size(3) % kWidth == 0;
}

std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor& queries, const std::vector<SeenRows>& parts) {
  const std::int64_t G = queries.size(0), r = queries.size(1), m = queries.size(2), d = queries.size(3);
  CARRYOVER_CHECK(queries.stride(3) == 1);
  std::vector<std::vector<PackedRows>> packed;  // by part, then by [G, rows]
  for (const SeenRows& part : parts) {
    const std::int64_t rows = part.rows();
    CARRYOVER_CHECK(!part.causal || part.keys.size(2) == m);
    auto& own = packed.emplace_back(static_cast<std::size_t>(G * rows));
    at::parallel_for(0, G * rows, grain_of(part.keys.size(2) * d), [&](std::int64_t begin_row, std::int64_t end_row) {
      for (std::int64_t row = begin_row; row < end_row; ++row)
        own[static_cast<std::size_t>(row)] =
            pack(part.keys[row / rows][row % rows], part.values[row / rows][row % rows]);
    });
  }
  // [m, G·r, d] in memory: the next product's rows, without a copy of them.
  at::Tensor out = at::empty_strided({G, r, m, d}, {r * d, d, G * r * d, 1}, queries.options()),
             lse = at::empty({G, r, m}, queries.options().dtype(at::kFloat));
  Half* to = mutable_halves(out);
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
        const std::int64_t rows = parts[part].rows();
        const std::int64_t row = rows == 1 ? head / r : head;
        add_part(block, packed[part][static_cast<std::size_t>(row)], parts[part].causal, first, scale);
      }
      finish(block, to + (first * heads + head) * d, heads * d, lse_to + head * m + first);
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
