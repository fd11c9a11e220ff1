// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/row_attention.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include <limits>

#include "engine/core/error.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/parallel.h"
#include "engine/ops/wide_rows.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kBlock = 128;  ///< keys; their rows stay in the second-level cache

/// A block of keys and the queries that see it: [first_query, first_query + queries) of G·r.
template <typename T>
struct Block {
  const T *keys, *values;
  std::int64_t key_stride, value_stride, count, first_query, queries;
};

template <typename T>
std::vector<Block<T>> blocks_of(const std::vector<SeenRows>& parts, std::int64_t G, std::int64_t r) {
  std::vector<Block<T>> blocks;
  for (const SeenRows& part : parts) {
    const std::int64_t rows = part.rows(), n = part.keys.size(2);
    CARRYOVER_CHECK((rows == 1 || rows == r) && part.keys.stride(3) == 1 && part.values.stride(3) == 1);
    for (std::int64_t row = 0; row < G * rows; ++row)
      for (std::int64_t first = 0; first < n; first += kBlock) {
        const auto at_row = [&](const at::Tensor& kv) {
          return kv.const_data_ptr<T>() + row / rows * kv.stride(0) + row % rows * kv.stride(1) + first * kv.stride(2);
        };
        blocks.push_back({at_row(part.keys), at_row(part.values), part.keys.stride(2), part.values.stride(2),
                          std::min(kBlock, n - first), row * r / rows, r / rows});
      }
  }
  return blocks;
}

#define CARRYOVER_BLOCK_LOOPS(W)                                                                          \
  /* scores[query, key] = q · k */                                                                       \
  CARRYOVER_VECTORISED void score(const W* queries, std::int64_t count, const W* rows, std::int64_t keys, \
                                  std::int64_t d, W* scores) {                                            \
    for (std::int64_t key = 0; key < keys; ++key)                                                         \
      for (std::int64_t query = 0; query < count; ++query) {                                              \
        const W *q = queries + query * d, *k = rows + key * d;                                            \
        W lanes[16] = {};                                                                                 \
        std::int64_t i = 0;                                                                               \
        for (; i + 16 <= d; i += 16)                                                                      \
          for (int lane = 0; lane < 16; ++lane) lanes[lane] += q[i + lane] * k[i + lane];                 \
        W sum = 0;                                                                                        \
        for (; i < d; ++i) sum += q[i] * k[i];                                                            \
        for (W lane : lanes) sum += lane;                                                                 \
        scores[query * kBlock + key] = sum;                                                               \
      }                                                                                                   \
  }                                                                                                       \
  /* out[query] = sum of p · v */                                                                        \
  CARRYOVER_VECTORISED void weigh(const W* weights, std::int64_t count, const W* rows, std::int64_t keys, \
                                  std::int64_t d, W* out) {                                               \
    for (std::int64_t key = 0; key < keys; ++key)                                                         \
      for (std::int64_t query = 0; query < count; ++query) {                                              \
        const W p = weights[query * kBlock + key];                                                        \
        for (std::int64_t i = 0; i < d; ++i) out[query * d + i] += p * rows[key * d + i];                 \
      }                                                                                                   \
  }
CARRYOVER_BLOCK_LOOPS(float)
CARRYOVER_BLOCK_LOOPS(double)
#undef CARRYOVER_BLOCK_LOOPS

/// What a block adds for each of its queries: its largest score, its weights' sum and its weighted values, both in
/// units of e^largest.
template <typename W>
struct Partial {
  std::vector<W> tops, sums, values;
};

template <typename T, typename W>
Partial<W> attend_block(const Block<T>& block, const W* queries, std::int64_t d) {
  const auto count = static_cast<std::size_t>(block.queries);
  Partial<W> partial{std::vector<W>(count), std::vector<W>(count), std::vector<W>(count * static_cast<std::size_t>(d))};
  thread_local std::vector<W> rows, scores;
  rows.resize(static_cast<std::size_t>(kBlock * d));
  scores.resize(count * static_cast<std::size_t>(kBlock));
  const auto widen = [&](const T* from, std::int64_t stride) {
    if (stride == d) return load(from, rows.data(), block.count * d);
    for (std::int64_t key = 0; key < block.count; ++key) load(from + key * stride, rows.data() + key * d, d);
  };
  widen(block.keys, block.key_stride);
  score(queries + block.first_query * d, block.queries, rows.data(), block.count, d, scores.data());
  for (std::size_t query = 0; query < count; ++query) {
    W* own = scores.data() + query * static_cast<std::size_t>(kBlock);
    partial.tops[query] = *std::max_element(own, own + block.count);
    exponentiate(own, partial.tops[query], block.count);
    for (std::int64_t key = 0; key < block.count; ++key) partial.sums[query] += own[key];
  }
  widen(block.values, block.value_stride);
  weigh(scores.data(), block.queries, rows.data(), block.count, d, partial.values.data());
  return partial;
}

/// The blocks' partial sums as one softmax for each query, and its log-sum-exp.
template <typename T, typename W>
void merge(const std::vector<Block<T>>& blocks, const std::vector<Partial<W>>& partials, std::int64_t queries,
           std::int64_t d, T* out, W* lse) {
  const auto width = static_cast<std::size_t>(d);
  std::vector<W> sums(static_cast<std::size_t>(queries), 0), values(sums.size() * width, 0);
  std::fill(lse, lse + queries, -std::numeric_limits<W>::infinity());
  const auto each = [&](const auto& visit) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::int64_t q = 0; q < blocks[b].queries; ++q)
        visit(static_cast<std::size_t>(blocks[b].first_query + q), partials[b], static_cast<std::size_t>(q));
  };
  each([&](std::size_t query, const Partial<W>& part, std::size_t own) {
    lse[query] = std::max(lse[query], part.tops[own]);  // the largest score, so far
  });
  each([&](std::size_t query, const Partial<W>& part, std::size_t own) {
    const W scale = std::exp(part.tops[own] - lse[query]);
    sums[query] += scale * part.sums[own];
    for (std::size_t i = 0; i < width; ++i) values[query * width + i] += scale * part.values[own * width + i];
  });
  for (std::size_t query = 0; query < sums.size(); ++query) {
    for (std::size_t i = 0; i < width; ++i) values[query * width + i] /= sums[query];
    store(values.data() + query * width, out + query * width, d);
    lse[query] += std::log(sums[query]);
  }
}

}  // namespace

std::pair<at::Tensor, at::Tensor> attend_row(const at::Tensor& queries, const std::vector<SeenRows>& parts) {
  const std::int64_t G = queries.size(0), r = queries.size(1), d = queries.size(3);
  CARRYOVER_CHECK(queries.stride(3) == 1);
  at::Tensor out = at::empty({G, r, 1, d}, queries.options());
  at::Tensor lse = at::empty({G, r, 1}, queries.options().dtype(compute_type(queries.scalar_type())));
  CARRYOVER_DISPATCH(queries.scalar_type(), "attend_row", [&] {
    using W = at::opmath_type<scalar_t>;
    std::vector<W> q(static_cast<std::size_t>(G * r * d));
    for (std::int64_t row = 0; row < G * r; ++row)
      load(queries.const_data_ptr<scalar_t>() + row / r * queries.stride(0) + row % r * queries.stride(1),
           q.data() + row * d, d);
    for (W& value : q) value /= std::sqrt(static_cast<W>(d));
    const auto blocks = blocks_of<scalar_t>(parts, G, r);
    std::vector<Partial<W>> partials(blocks.size());
    at::parallel_for(0, static_cast<std::int64_t>(blocks.size()), grain_of(kBlock * d),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (auto b = static_cast<std::size_t>(begin); b < static_cast<std::size_t>(end); ++b)
                         partials[b] = attend_block<scalar_t, W>(blocks[b], q.data(), d);
                     });
    merge<scalar_t, W>(blocks, partials, G * r, d, out.template mutable_data_ptr<scalar_t>(),
                       lse.template mutable_data_ptr<W>());
  });
  return {out, lse};
}

}  // namespace carryover::ops
