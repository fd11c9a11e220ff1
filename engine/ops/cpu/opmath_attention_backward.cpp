// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include <atomic>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/attention_plan.h"
#include "engine/ops/cpu/opmath_attention.h"
#include "engine/ops/cpu/opmath_matmul.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

using namespace opmath;

constexpr std::int64_t kQueries = 96;  ///< queries of a block: with a tile of keys, all operands fit in the
                                       ///< second-level cache
constexpr std::int64_t kKeys = 96;     ///< keys of a tile

template <typename W>
struct QueryBlock {
  std::int64_t first = 0, count = 0;
  const W *queries = nullptr, *gradients = nullptr;  ///< [kQueries][row_stride(d)]: queries times 1/√d; gradients of
                                                     ///< the outputs
  const W *lse = nullptr, *delta = nullptr;          ///< delta: a query's output · its gradient
};

/// The queries of all heads, in blocks.
struct PackedQueries {
  std::int64_t m = 0, d = 0, heads = 0, blocks = 0;
  at::Tensor operands;  ///< [heads, blocks, 2, kQueries · row_stride(d)]
  at::Tensor numbers;   ///< [heads, blocks, 2, kQueries]

  template <typename W>
  QueryBlock<W> block(std::int64_t head, std::int64_t b) const {
    const std::int64_t at = head * blocks + b, size = kQueries * row_stride(d), first = b * kQueries;
    const W* own = operands.const_data_ptr<W>() + at * 2 * size;
    const W* number = numbers.const_data_ptr<W>() + at * 2 * kQueries;
    return {first, std::min(kQueries, m - first), own, own + size, number, number + kQueries};
  }
};

CARRYOVER_VECTORISED float dot(const float* a, const float* b, std::int64_t n) {
  float lanes[kSixteen] = {}, sum = 0;
  for (std::int64_t i = 0; i < n; i += kSixteen)
    for (std::int64_t lane = 0; lane < kSixteen; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  for (const float lane : lanes) sum += lane;
  return sum;
}
double dot(const double* a, const double* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <typename T, typename W>
PackedQueries pack(const at::Tensor& queries, const at::Tensor& gradient, const at::Tensor& out,
                   const at::Tensor& lse) {
  const std::int64_t r = queries.size(1), m = queries.size(2), d = queries.size(3), heads = queries.size(0) * r;
  const std::int64_t blocks = (m + kQueries - 1) / kQueries, width = row_stride(d), size = kQueries * width;
  PackedQueries packed{.m = m,
                       .d = d,
                       .heads = heads,
                       .blocks = blocks,
                       .operands = at::empty({heads, blocks, 2, size}, lse.options()),
                       .numbers = at::empty({heads, blocks, 2, kQueries}, lse.options())};
  W *operands = packed.operands.mutable_data_ptr<W>(), *numbers = packed.numbers.mutable_data_ptr<W>();
  const W* sums = lse.const_data_ptr<W>();
  parallel_for(0, heads * blocks, grain_of(size), [&](std::int64_t begin, std::int64_t end) {
    Lines<W> row(static_cast<std::size_t>(width), 0);
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t head = unit / blocks, first = unit % blocks * kQueries, count = std::min(kQueries, m - first);
      const auto rows = [&](const at::Tensor& of) {
        return of.const_data_ptr<T>() + head / r * of.stride(0) + head % r * of.stride(1) + first * of.stride(2);
      };
      W *to = operands + unit * 2 * size, *gradients = to + size, *number = numbers + unit * 2 * kQueries;
      pack_rows(rows(queries), queries.stride(2), count, kQueries, d, attention_scale<W>(d), to);
      pack_rows(rows(gradient), gradient.stride(2), count, kQueries, d, W{1}, gradients);
      std::copy_n(sums + head * m + first, count, number);
      for (std::int64_t q = 0; q < count; ++q) {
        load(rows(out) + q * out.stride(2), row.data(), d);
        number[kQueries + q] = dot(row.data(), gradients + q * width, width);
      }
    }
  });
  return packed;
}

/// The buffers of a thread: the unit's keys and values as matmuls read them, its gradients, and a tile's weights.
template <typename W>
struct Scratch {
  Lines<W> keys, transposed_keys, transposed_values;  ///< [count][row_stride(d)], [count/16][d][16]
  Lines<W> to_keys, to_values;                        ///< [count][row_stride(d)]
  Lines<W> weights, ds;                               ///< [kQueries][kKeys]
  Lines<W> slopes;                                    ///< [kKeys], of one query's capped scores
  W score_cap = 0;                                    ///< 0: scores are not capped
};

/// Replaces dp by ds, the gradient of the loss with respect to the scaled scores.
CARRYOVER_VECTORISED void softmax_backward(const float* weights, float delta, std::int64_t n, float* dp) {
  for (std::int64_t i = 0; i < n; ++i) dp[i] = weights[i] * (dp[i] - delta);
}
void softmax_backward(const double* weights, double delta, std::int64_t n, double* dp) {
  for (std::int64_t i = 0; i < n; ++i) dp[i] = weights[i] * (dp[i] - delta);
}

/// Adds what a block of queries and a tile of the unit's keys, from `key` on, contribute to each other's gradients.
/// Query i of the block sees keys [i + from, i + to) of the tile.
template <typename W>
void add_tile(const QueryBlock<W>& block, std::int64_t key, std::int64_t keys, std::int64_t from, std::int64_t to,
              std::int64_t d, bool fixed, Scratch<W>& scratch, W* to_queries) {
  const std::int64_t width = row_stride(d), rows = round_up(block.count, kSixteen), all = round_up(d, kSixteen);
  const std::int64_t skipped = std::max<std::int64_t>(0, 1 - to);  // number of queries before those that see the tile
  keys = std::min(keys, block.count - 1 + to);
  if (keys <= 0 || from >= keys) return;
  const std::int64_t columns = round_up(keys, kSixteen);
  W *weights = scratch.weights.data(), *ds = scratch.ds.data();
  const Columns<W> transposed_keys{scratch.transposed_keys.data() + key * d, kSixteen, kSixteen * d},
      transposed_values{scratch.transposed_values.data() + key * d, kSixteen, kSixteen * d};
  multiply({rows, columns, d}, Rows<W>{block.queries, width}, transposed_keys, {weights, kKeys}, false);
  multiply({rows, columns, d}, Rows<W>{block.gradients, width}, transposed_values, {ds, kKeys}, false);
  for (std::int64_t q = 0; q < block.count; ++q) {
    const std::int64_t hidden = std::clamp<std::int64_t>(q + from, 0, keys),
                       visible = std::clamp<std::int64_t>(q + to, hidden, keys);
    W *weight = weights + q * kKeys, *ds_row = ds + q * kKeys;
    const std::int64_t seen = visible - hidden;
    if (scratch.score_cap > 0) soft_cap(weight + hidden, scratch.score_cap, seen, scratch.slopes.data());
    exponentiate(weight + hidden, block.lse[q], seen);
    softmax_backward(weight + hidden, block.delta[q], seen, ds_row + hidden);
    if (scratch.score_cap > 0)
      for (std::int64_t i = 0; i < seen; ++i) ds_row[hidden + i] *= scratch.slopes[static_cast<std::size_t>(i)];
    for (W* row : {weight, ds_row}) {
      std::fill(row, row + hidden, W{0});
      std::fill(row + visible, row + columns, W{0});
    }
  }
  multiply({rows, all, keys}, Rows<W>{ds, kKeys}, Columns<W>{scratch.keys.data() + key * width, width},
           {to_queries, width}, true);
  if (fixed) return;
  const auto add = [&](const W* of_keys, const W* of_queries, Lines<W>& sums) {
    multiply({columns, all, block.count - skipped}, Rows<W>{of_keys + skipped * kKeys, 1, kKeys},
             Columns<W>{of_queries + skipped * width, width}, {sums.data() + key * width, width}, true);
  };
  add(weights, block.gradients, scratch.to_values);
  add(ds, block.queries, scratch.to_keys);
}

template <typename T, typename W>
void take(const Unit& unit, const KvBlock& part, std::int64_t d, Scratch<W>& scratch) {
  const std::int64_t padded = round_up(unit.count, kSixteen), rows = part.rows();
  const auto size = static_cast<std::size_t>(padded * row_stride(d));
  scratch.keys.resize(size);
  scratch.transposed_keys.resize(static_cast<std::size_t>(padded * d));
  scratch.transposed_values.resize(static_cast<std::size_t>(padded * d));
  scratch.weights.resize(kQueries * kKeys);
  scratch.ds.resize(kQueries * kKeys);
  scratch.slopes.resize(kKeys);
  for (auto* sums : {&scratch.to_keys, &scratch.to_values}) sums->assign(part.fixed ? 0 : size, 0);
  const auto pack_unit = [&](const at::Tensor& of, Lines<W>& transposed) {
    const T* from = of.const_data_ptr<T>() + unit.row / rows * of.stride(0) + unit.row % rows * of.stride(1);
    pack_rows(from + unit.first * of.stride(2), of.stride(2), unit.count, padded, d, W{1}, scratch.keys.data());
    transpose_rows(scratch.keys.data(), padded, d, transposed.data());
  };
  pack_unit(part.values, scratch.transposed_values);
  pack_unit(part.keys, scratch.transposed_keys);  // last: these rows are read untransposed, too
}

/// Runs a unit. `slots`: [slots, heads, blocks, kQueries, row_stride(d)].
template <typename T, typename W>
void run(const Unit& unit, const KvBlock& part, const PackedQueries& queries, KvBlock& gradients, std::int64_t share,
         W* slots, Scratch<W>& scratch) {
  const std::int64_t d = queries.d, n = part.keys.size(2), width = row_stride(d), block_size = kQueries * width;
  take<T>(unit, part, d, scratch);
  for (std::int64_t head = unit.row * share; head < (unit.row + 1) * share; ++head)
    for (std::int64_t b = part.first_query(unit.first) / kQueries; b < queries.blocks; ++b) {
      const QueryBlock<W> block = queries.block<W>(head, b);
      W* to_queries = slots + ((unit.slot * queries.heads + head) * queries.blocks + b) * block_size;
      std::fill_n(to_queries, block_size, W{0});
      for (std::int64_t key = 0; key < unit.count; key += kKeys)
        add_tile(block, key, std::min(kKeys, unit.count - key), part.from + block.first - unit.first - key,
                 part.to + block.first - unit.first - key, d, part.fixed, scratch, to_queries);
    }
  if (part.fixed) return;
  for (std::int64_t key = 0; key < unit.count; ++key) {
    const std::int64_t to = (unit.row * n + unit.first + key) * d;
    store(scratch.to_keys.data() + key * width, gradients.keys.mutable_data_ptr<T>() + to, d);
    store(scratch.to_values.data() + key * width, gradients.values.mutable_data_ptr<T>() + to, d);
  }
}

/// Sums the slots of one block to [count, d].
template <typename T, typename W>
void sum_slots(W* slots, std::int64_t slot_stride, const std::vector<std::int64_t>& first_query, std::int64_t first,
               std::int64_t count, std::int64_t d, T* to) {
  const std::int64_t width = row_stride(d);
  W* sums = nullptr;  // those of the first slot that this block sees
  for (std::size_t slot = 0; slot < first_query.size(); ++slot) {
    if (first_query[slot] >= first + count) continue;
    W* more = slots + static_cast<std::int64_t>(slot) * slot_stride;
    if (sums == nullptr)
      sums = more;
    else
      for (std::int64_t i = 0; i < count * width; ++i) sums[i] += more[i];
  }
  const W scale = attention_scale<W>(d);
  for (std::int64_t q = 0; q < count; ++q) {
    W* row = sums + q * width;
    for (std::int64_t c = 0; c < d; ++c) row[c] *= scale;
    store(row, to + q * d, d);
  }
}

template <typename T, typename W>
at::Tensor sum_queries(const AttentionPlan& plan, const PackedQueries& queries, const at::Tensor& slots,
                       const at::Tensor& like) {
  at::Tensor sum = at::empty(like.sizes(), like.options());
  const std::int64_t m = queries.m, d = queries.d, blocks = queries.blocks, block_size = kQueries * row_stride(d);
  W* from = slots.mutable_data_ptr<W>();
  T* to = sum.mutable_data_ptr<T>();
  parallel_for(0, queries.heads * blocks, grain_of(block_size), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t head = unit / blocks, first = unit % blocks * kQueries;
      sum_slots(from + unit * block_size, queries.heads * blocks * block_size, plan.first_query, first,
                std::min(kQueries, m - first), d, to + (head * m + first) * d);
    }
  });
  return sum;
}

template <typename T>
AttentionGradients differentiate(const at::Tensor& gradient, const at::Tensor& queries,
                                 const std::vector<KvBlock>& parts, const at::Tensor& out, const at::Tensor& lse,
                                 double score_cap) {
  using W = at::opmath_type<T>;
  const std::int64_t G = queries.size(0), r = queries.size(1);
  const PackedQueries packed = pack<T, W>(queries, gradient, out, lse);
  const AttentionPlan plan = divide(parts, G, packed.m, kKeys);
  AttentionGradients gradients{{}, empty_gradients(parts)};
  const at::Tensor slots = at::empty(
      {std::ssize(plan.first_query), packed.heads, packed.blocks, kQueries, row_stride(packed.d)}, lse.options());
  W* slot = slots.mutable_data_ptr<W>();
  const std::int64_t units = std::ssize(plan.units);
  share_parts(units, [&](std::atomic<std::int64_t>& next) {
    Scratch<W> scratch;
    scratch.score_cap = static_cast<W>(score_cap);
    for (std::int64_t i = next++; i < units; i = next++) {
      const Unit& unit = plan.units[static_cast<std::size_t>(i)];
      const KvBlock& part = parts[unit.part];
      run<T>(unit, part, packed, gradients.parts[unit.part], r / part.rows(), slot, scratch);
    }
  });
  gradients.queries = sum_queries<T, W>(plan, packed, slots, queries);
  return gradients;
}

}  // namespace

AttentionGradients attend_opmath_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                          const std::vector<KvBlock>& parts, const at::Tensor& out,
                                          const at::Tensor& lse, double score_cap) {
  CARRYOVER_CHECK(queries.stride(3) == 1 && out.stride(3) == 1 && lse.is_contiguous());
  const at::Tensor dense = gradient.stride(3) == 1 ? gradient : gradient.contiguous();
  return CARRYOVER_DISPATCH(queries.scalar_type(), "attend_opmath_backward",
                            [&] { return differentiate<scalar_t>(dense, queries, parts, out, lse, score_cap); });
}

}  // namespace carryover::ops
