// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/ATen.h>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/amx_tiles.h"
#include "engine/ops/cpu/attention_plan.h"
#include "engine/ops/cpu/bf16_attention.h"
#include "engine/runtime/parallel.h"

#ifdef __x86_64__
#include <atomic>

namespace carryover::ops {

namespace {

using namespace bf16;

constexpr std::int64_t kQueries = 128;  ///< queries of a block: with a tile of keys, all operands fit in the
                                        ///< second-level cache
constexpr std::int64_t kKeys = 96;      ///< keys of a tile, a multiple of a matmul's rows and of the number of values
                                        ///< it sums over

/// A block of queries. Scores are computed transposed, with a row for each key. Weights then have the layout in which
/// the gradients of keys and values sum them, over queries, and an interleaved pair of rows has the one in which the
/// gradients of queries sum them, over keys.
struct QueryBlock {
  std::int64_t first = 0, columns = 0;                        ///< columns: number of queries, padded with zeros to a
                                                              ///< multiple of kWidth
  const Bf16 *query_lanes = nullptr, *query_pairs = nullptr;  ///< pack_lanes, pack_pairs
  const Bf16 *gradient_lanes = nullptr, *gradient_pairs = nullptr;  ///< gradients of the outputs
  const float *lse = nullptr, *delta = nullptr;                     ///< delta: a query's output · its gradient
};

/// The queries of all heads, in blocks.
struct PackedQueries {
  std::int64_t m = 0, d = 0, blocks = 0;
  at::Tensor operands;  ///< [heads, blocks, 4, kQueries * d]
  at::Tensor numbers;   ///< [heads, blocks, 2, kQueries]
};

QueryBlock block_of(const PackedQueries& packed, std::int64_t head, std::int64_t block) {
  const std::int64_t at = head * packed.blocks + block, size = kQueries * packed.d;
  const Bf16* operands = bits(packed.operands) + at * 4 * size;
  const float* numbers = packed.numbers.const_data_ptr<float>() + at * 2 * kQueries;
  const std::int64_t first = block * kQueries;
  return {.first = first,
          .columns = round_up(std::min(kQueries, packed.m - first), kWidth),
          .query_lanes = operands,
          .query_pairs = operands + size,
          .gradient_lanes = operands + 2 * size,
          .gradient_pairs = operands + 3 * size,
          .lse = numbers,
          .delta = numbers + kQueries};
}

CARRYOVER_BF16 float dot(const Bf16* a, const Bf16* b, std::int64_t d) {
  __m512 sum = _mm512_setzero_ps();
  for (std::int64_t c = 0; c < d; c += 2 * kLanes)
    sum = _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(_mm512_loadu_si512(a + c)),
                           reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + c)));
  return _mm512_reduce_add_ps(sum);
}

PackedQueries pack(const at::Tensor& queries, const at::Tensor& gradient, const at::Tensor& out,
                   const at::Tensor& lse) {
  const std::int64_t r = queries.size(1), m = queries.size(2), d = queries.size(3), heads = queries.size(0) * r;
  const std::int64_t blocks = (m + kQueries - 1) / kQueries, size = kQueries * d;
  PackedQueries packed{.m = m,
                       .d = d,
                       .blocks = blocks,
                       .operands = at::empty({heads, blocks, 4, size}, queries.options()),
                       .numbers = at::zeros({heads, blocks, 2, kQueries}, lse.options())};
  Bf16* operands = mutable_bits(packed.operands);
  auto* numbers = packed.numbers.mutable_data_ptr<float>();
  const auto* sums = lse.const_data_ptr<float>();
  parallel_for(0, heads * blocks, grain_of(size), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t head = unit / blocks, first = unit % blocks * kQueries, count = std::min(kQueries, m - first);
      const auto rows = [&](const at::Tensor& of) {
        return bits(of) + head / r * of.stride(0) + head % r * of.stride(1) + first * of.stride(2);
      };
      Bf16* to = operands + unit * 4 * size;
      pack_lanes(rows(queries), queries.stride(2), count, kQueries, d, to);
      pack_pairs(rows(queries), queries.stride(2), count, kQueries, d, to + size);
      pack_lanes(rows(gradient), gradient.stride(2), count, kQueries, d, to + 2 * size);
      pack_pairs(rows(gradient), gradient.stride(2), count, kQueries, d, to + 3 * size);
      float* const number = numbers + unit * 2 * kQueries;
      std::copy_n(sums + head * m + first, count, number);
      for (std::int64_t q = 0; q < count; ++q)
        number[kQueries + q] = dot(rows(out) + q * out.stride(2), rows(gradient) + q * gradient.stride(2), d);
    }
  });
  return packed;
}

/// The buffers of a thread.
struct Scratch {
  Lines<float> keys, values;  ///< the unit's gradients, [count, d]
  Lines<Bf16> rows[2];        ///< the unit's keys and values, side by side, followed by zeros
  Lines<Bf16> transposed;     ///< the unit's keys, [tiles][d to a multiple of kRows][kKeys]
  Lines<Bf16> ds;             ///< dS of a tile, [kKeys/2][kQueries][2]
};

/// The rows of a tile, [count to a multiple of kRows, d]: keys, values, and the places of their gradients.
struct Tile {
  const Bf16 *keys = nullptr, *values = nullptr, *transposed = nullptr;
  std::int64_t count = 0;
  float *to_keys = nullptr, *to_values = nullptr;  ///< null if not asked for
};

CARRYOVER_BF16_INLINE __m512i lane_numbers() {
  return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/// Stores two rows of sixteen values, rounded: each by itself, and also interleaved if `pairs` is not null.
CARRYOVER_BF16_INLINE void store_two(Bf16* first, Bf16* second, Bf16* pairs, const __m512 (&rows)[2]) {
  const auto both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(rows[1], rows[0]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(first), _mm512_castsi512_si256(both));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(second), _mm512_extracti64x4_epi64(both, 1));
  if (pairs == nullptr) return;
  const __m512i turns = _mm512_add_epi32(_mm512_mullo_epi32(lane_numbers(), _mm512_set1_epi32(0x10001)),
                                         _mm512_set1_epi32(kLanes << 16));  // 0, 16, 1, 17, …
  _mm512_storeu_si512(pairs, _mm512_permutexvar_epi16(turns, both));
}

/// Computes the weights and `ds` (the gradient of the loss with respect to the scaled scores) of kRows keys from `key`
/// on for kWidth queries from `column` on; 0 for rows that only fill the tile. Query i of the block sees key j of the
/// tile if after + j ≤ i < end + j.
template <typename Matmul>
CARRYOVER_BF16 void softmax_backward(const QueryBlock& block, const Tile& tile, std::int64_t d, std::int64_t key,
                                     std::int64_t column, std::int64_t after, std::int64_t end, Bf16* weights, Bf16* ds,
                                     Bf16* pairs) {
  alignas(64) float scores[Matmul::kRows * kWidth], dp[Matmul::kRows * kWidth];
  const auto columns = [&](const Bf16* lanes) { return Columns{lanes + column * d, d / 2, 2 * kLanes, kLanes * d}; };
  Matmul::multiply(tile.keys + key * d, d, columns(block.query_lanes), false, scores, kWidth);
  Matmul::multiply(tile.values + key * d, d, columns(block.gradient_lanes), false, dp, kWidth);
  const __m512 scale = _mm512_set1_ps(attention_scale<float>(d));
  for (std::int64_t row = 0; row < Matmul::kRows; row += 2)
    for (std::int64_t c = 0; c < kWidth; c += kLanes) {
      const std::int64_t query = column + c;
      const __m512 lse = _mm512_loadu_ps(block.lse + query), delta = _mm512_loadu_ps(block.delta + query);
      __m512 p[2], ds_rows[2];
      for (std::int64_t i = 0; i < 2; ++i) {
        const std::int64_t j = key + row + i;
        const std::int64_t hidden = j < tile.count ? std::clamp<std::int64_t>(after + j - query, 0, kLanes) : kLanes;
        const std::int64_t past = std::clamp<std::int64_t>(end + j - query, 0, kLanes), at = (row + i) * kWidth + c;
        const auto seen = static_cast<__mmask16>((0xffffu << hidden) & ((1u << past) - 1));
        const __m512 x = _mm512_fmsub_ps(_mm512_load_ps(scores + at), scale, lse);
        p[i] = _mm512_maskz_mov_ps(seen, exponential(x));
        ds_rows[i] = _mm512_mul_ps(p[i], _mm512_sub_ps(_mm512_load_ps(dp + at), delta));
      }
      const std::int64_t at = row * kQueries + query;
      store_two(weights + at, weights + at + kQueries, nullptr, p);
      store_two(ds + at, ds + at + kQueries, pairs + at + query, ds_rows);
    }
}

/// Adds what a block of queries and a tile contribute to each other's gradients. Query i of the block sees key j if
/// after + j ≤ i < end + j. It sees all keys if `after` is −kKeys and `end` kQueries or more.
template <typename Matmul>
CARRYOVER_BF16 void add_tile(const QueryBlock& block, const Tile& tile, std::int64_t d, std::int64_t after,
                             std::int64_t end, Bf16* ds_pairs, float* to_queries) {
  if (end + tile.count <= 1) return;  // the last key is behind the first query's window
  constexpr std::int64_t rows = Matmul::kRows;
  alignas(64) Bf16 weights[rows * kQueries], ds[rows * kQueries];
  const std::int64_t padded = round_up(tile.count, rows);
  for (std::int64_t key = 0; key < padded && after + key < block.columns; key += rows) {
    const std::int64_t hidden = std::max<std::int64_t>(0, after + key);
    for (std::int64_t column = hidden / kWidth * kWidth; column < block.columns; column += kWidth)
      softmax_backward<Matmul>(block, tile, d, key, column, after, end, weights, ds, ds_pairs + key * kQueries);
    if (tile.to_keys == nullptr) continue;
    const std::int64_t skipped = hidden / Matmul::kSummed * Matmul::kSummed;
    const std::int64_t pairs = (block.columns - skipped) / 2;
    for (std::int64_t c = 0; c < d; c += kWidth) {
      const std::int64_t from = skipped * d + 2 * c, to = key * d + c;
      const auto add = [&](const Bf16* of_keys, const Bf16* of_queries, float* sums) CARRYOVER_BF16 {
        Matmul::multiply(of_keys + skipped, kQueries, {of_queries + from, pairs, 2 * d, 2 * kLanes}, true, sums + to,
                         d);
      };
      add(weights, block.gradient_pairs, tile.to_values);
      add(ds, block.query_pairs, tile.to_keys);
    }
  }
  for (std::int64_t column = 0; column < block.columns; column += kWidth) {
    const std::int64_t last = column + kWidth - 1 - after;  // last key that these queries see
    if (last < 0) continue;
    const std::int64_t pairs = std::min(padded, last / rows * rows + rows) / 2;
    for (std::int64_t c = 0; c < d; c += rows)
      Matmul::multiply(tile.transposed + c * kKeys, kKeys, {ds_pairs + 2 * column, pairs, 2 * kQueries, 2 * kLanes},
                       true, to_queries + c * kQueries + column, kQueries);
  }
}

/// Transposes keys from [count, d] to [tiles][width][kKeys], padded with zeros.
void transpose(const Bf16* keys, std::int64_t count, std::int64_t d, std::int64_t width, Lines<Bf16>& to) {
  to.assign(static_cast<std::size_t>(round_up(count, kKeys) * width), Bf16{0});
  for (std::int64_t key = 0; key < count; ++key)
    for (std::int64_t c = 0; c < d; ++c)
      to[static_cast<std::size_t>((key / kKeys * width + c) * kKeys + key % kKeys)] = keys[key * d + c];
}

CARRYOVER_BF16 void store_rounded(const float* from, std::int64_t count, float scale, Bf16* to) {
  for (std::int64_t i = 0; i < count; i += kLanes)
    store_bf16(to + i, _mm512_mul_ps(_mm512_loadu_ps(from + i), _mm512_set1_ps(scale)));
}

/// Runs a unit. `slots`: [slots, heads, blocks, d to a multiple of kRows, kQueries].
template <typename Matmul>
void run(const Unit& unit, const KvBlock& part, const PackedQueries& queries, std::int64_t r, KvBlock& gradients,
         float* slots, Scratch& scratch) {
  const std::int64_t d = queries.d, n = part.keys.size(2), rows = part.rows(), share = r / rows;
  const std::int64_t heads = queries.operands.size(0), width = round_up(d, Matmul::kRows);
  const std::int64_t padded = round_up(unit.count, Matmul::kRows), block_size = width * kQueries;
  for (const auto& [of, to] : {std::pair{&part.keys, scratch.rows}, {&part.values, scratch.rows + 1}}) {
    to->resize(static_cast<std::size_t>(padded * d));
    copy_rows(
        bits(*of) + unit.row / rows * of->stride(0) + unit.row % rows * of->stride(1) + unit.first * of->stride(2),
        of->stride(2), unit.count, padded, d, to->data());
  }
  transpose(scratch.rows[0].data(), unit.count, d, width, scratch.transposed);
  scratch.ds.resize(kKeys * kQueries);
  for (auto* sums : {&scratch.keys, &scratch.values})
    sums->assign(part.fixed ? 0 : static_cast<std::size_t>(padded * d), 0.0f);
  for (std::int64_t head = unit.row * share; head < (unit.row + 1) * share; ++head)
    for (std::int64_t b = part.first_query(unit.first) / kQueries; b < queries.blocks; ++b) {
      const QueryBlock block = block_of(queries, head, b);
      float* to_queries = slots + ((unit.slot * heads + head) * queries.blocks + b) * block_size;
      std::fill_n(to_queries, block_size, 0.0f);
      for (std::int64_t key = 0; key < unit.count; key += kKeys) {
        const std::int64_t place = unit.first + key - block.first;
        const std::int64_t after = std::max(-kKeys, place + 1 - part.to),
                           end = std::min(kQueries, place + 1 - part.from);
        const Tile tile{.keys = scratch.rows[0].data() + key * d,
                        .values = scratch.rows[1].data() + key * d,
                        .transposed = scratch.transposed.data() + key * width,
                        .count = std::min(kKeys, unit.count - key),
                        .to_keys = part.fixed ? nullptr : scratch.keys.data() + key * d,
                        .to_values = part.fixed ? nullptr : scratch.values.data() + key * d};
        add_tile<Matmul>(block, tile, d, after, end, scratch.ds.data(), to_queries);
      }
    }
  if (part.fixed) return;
  const std::int64_t to = (unit.row * n + unit.first) * d;
  store_rounded(scratch.keys.data(), unit.count * d, attention_scale<float>(d), mutable_bits(gradients.keys) + to);
  store_rounded(scratch.values.data(), unit.count * d, 1, mutable_bits(gradients.values) + to);
}

/// Sums the slots of one block, [d, kQueries] each and `slot_stride` apart, and rounds the sum to [count, d].
CARRYOVER_BF16 void sum_slots(float* slots, std::int64_t slot_stride, const std::vector<std::int64_t>& first_query,
                              std::int64_t first, std::int64_t count, std::int64_t d, Bf16* to) {
  std::int64_t into = -1;  // the first slot that this block sees
  for (std::int64_t slot = 0; slot < std::ssize(first_query); ++slot) {
    if (first_query[static_cast<std::size_t>(slot)] >= first + count) continue;
    if (into < 0) {
      into = slot;
      continue;
    }
    float* sums = slots + into * slot_stride;
    const float* more = slots + slot * slot_stride;
    for (std::int64_t i = 0; i < d * kQueries; ++i) sums[i] += more[i];
  }
  const float* sums = slots + into * slot_stride;
  const __m512i column = _mm512_mullo_epi32(lane_numbers(), _mm512_set1_epi32(kQueries));
  const __m512 scale = _mm512_set1_ps(attention_scale<float>(d));
  for (std::int64_t q = 0; q < count; ++q)
    for (std::int64_t c = 0; c < d; c += kLanes)
      store_bf16(to + q * d + c, _mm512_mul_ps(_mm512_i32gather_ps(column, sums + c * kQueries + q, 4), scale));
}

at::Tensor sum_queries(const AttentionPlan& plan, const PackedQueries& queries, const at::Tensor& slots,
                       at::IntArrayRef shape) {
  at::Tensor sum = at::empty(shape, queries.operands.options());
  const std::int64_t m = queries.m, d = queries.d, blocks = queries.blocks, heads = queries.operands.size(0);
  const std::int64_t block_size = slots.size(3) * kQueries;
  auto* from = slots.mutable_data_ptr<float>();
  Bf16* to = mutable_bits(sum);
  parallel_for(0, heads * blocks, grain_of(block_size), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t head = unit / blocks, first = unit % blocks * kQueries;
      sum_slots(from + unit * block_size, heads * blocks * block_size, plan.first_query, first,
                std::min(kQueries, m - first), d, to + (head * m + first) * d);
    }
  });
  return sum;
}

template <typename Matmul>
AttentionGradients differentiate(const at::Tensor& gradient, const at::Tensor& queries,
                                 const std::vector<KvBlock>& parts, const at::Tensor& out, const at::Tensor& lse) {
  const std::int64_t G = queries.size(0), r = queries.size(1), d = queries.size(3);
  CARRYOVER_CHECK(queries.stride(3) == 1 && out.stride(3) == 1 && lse.is_contiguous());
  const PackedQueries packed = pack(queries, gradient.stride(3) == 1 ? gradient : gradient.contiguous(), out, lse);
  const AttentionPlan plan = divide(parts, G, packed.m, kKeys);
  AttentionGradients gradients{{}, empty_gradients(parts)};
  const at::Tensor slots = at::empty(
      {std::ssize(plan.first_query), G * r, packed.blocks, round_up(d, Matmul::kRows), kQueries}, lse.options());
  auto* slot = slots.mutable_data_ptr<float>();
  const std::int64_t units = std::ssize(plan.units);
  share_parts(units, [&](std::atomic<std::int64_t>& next) {
    [[maybe_unused]] const typename Matmul::Use use;
    Scratch scratch;
    for (std::int64_t i = next++; i < units; i = next++) {
      const Unit& unit = plan.units[static_cast<std::size_t>(i)];
      run<Matmul>(unit, parts[unit.part], packed, r, gradients.parts[unit.part], slot, scratch);
    }
  });
  gradients.queries = sum_queries(plan, packed, slots, queries.sizes());
  return gradients;
}

}  // namespace

AttentionGradients attend_bf16_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                        const std::vector<KvBlock>& parts, const at::Tensor& out,
                                        const at::Tensor& lse) {
  return bf16_tiles() ? differentiate<Tiles>(gradient, queries, parts, out, lse)
                      : differentiate<Dots>(gradient, queries, parts, out, lse);
}

}  // namespace carryover::ops

#else

namespace carryover::ops {
AttentionGradients attend_bf16_backward(const at::Tensor&, const at::Tensor&, const std::vector<KvBlock>&,
                                        const at::Tensor&, const at::Tensor&) {
  throw EngineError(Fault::Internal, "attention", "this processor has no bf16 dot products");
}
}  // namespace carryover::ops

#endif
