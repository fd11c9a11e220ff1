// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/row_attention.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include <cstring>
#include <limits>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/simd_rows.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kBlock = 128;      ///< number of keys that a thread takes at a time
constexpr std::int64_t kUpcastRows = 32;  ///< number of these keys that are upcast at a time

/// A block of keys and the queries that see it: [first_query, first_query + queries) of G·r.
template <typename T>
struct Block {
  const T *keys, *values;
  std::int64_t key_stride, value_stride, count, first_query, queries;
  std::size_t part;
  const std::int32_t* rows = nullptr;  ///< the rows of the keys, counted from `keys`; null: they are consecutive

  bool in_place() const { return rows == nullptr; }
};

template <typename T>
std::vector<Block<T>> blocks_of(const std::vector<KvBlock>& parts, std::int64_t G, std::int64_t r) {
  std::vector<Block<T>> blocks;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const KvBlock& part = parts[i];
    const std::int64_t rows = part.rows(), n = part.keys.size(2);
    CARRYOVER_CHECK((rows == 1 || rows == r) && part.keys.stride(3) == 1 && part.values.stride(3) == 1);
    for (std::int64_t row = 0; row < G * rows; ++row)
      for (std::int64_t first = 0; first < n; first += kBlock) {
        const auto at_row = [&](const at::Tensor& kv) {
          return kv.const_data_ptr<T>() + row / rows * kv.stride(0) + row % rows * kv.stride(1) + first * kv.stride(2);
        };
        blocks.push_back({at_row(part.keys), at_row(part.values), part.keys.stride(2), part.values.stride(2),
                          std::min(kBlock, n - first), row * r / rows, r / rows, i});
      }
  }
  return blocks;
}

/// Computes scores[key] = q · k for `Keys` keys, whose sums do not wait for one another.
template <typename W, int Bytes, int Keys>
[[gnu::always_inline]] inline void score_keys(const W* q, const W* rows, std::int64_t stride, std::int64_t d,
                                              W* scores) {
  using Vector = typename Simd<W, Bytes>::Vector;
  constexpr std::int64_t width = Bytes / sizeof(W);
  Vector sums[Keys] = {}, x, y;
  std::int64_t c = 0;
  for (; c + width <= d; c += width) {
    std::memcpy(&x, q + c, sizeof x);
#pragma GCC unroll 8
    for (int key = 0; key < Keys; ++key) {
      std::memcpy(&y, rows + key * stride + c, sizeof y);
      sums[key] += x * y;
    }
  }
#pragma GCC unroll 8
  for (int key = 0; key < Keys; ++key) scores[key] = sum_of<W, Bytes>(sums[key]);
  for (; c < d; ++c)
    for (int key = 0; key < Keys; ++key) scores[key] += q[c] * rows[key * stride + c];
}

/// Computes scores[query, key] = q · k. queries: [count, d]; rows: [keys, d]. Each row is read from memory once.
template <typename W, int Bytes>
[[gnu::always_inline]] inline void score(const W* queries, std::int64_t count, const W* rows, std::int64_t stride,
                                         std::int64_t keys, std::int64_t d, W* scores) {
  std::int64_t key = 0;
  for (; key + 4 <= keys; key += 4)
    for (std::int64_t query = 0; query < count; ++query)
      score_keys<W, Bytes, 4>(queries + query * d, rows + key * stride, stride, d, scores + query * kBlock + key);
  for (; key < keys; ++key)
    for (std::int64_t query = 0; query < count; ++query)
      score_keys<W, Bytes, 1>(queries + query * d, rows + key * stride, stride, d, scores + query * kBlock + key);
}

/// Computes out[query] += Σ p · v for `Queries` queries, in `Columns` vectors of their columns.
template <typename W, int Bytes, int Queries, int Columns>
[[gnu::always_inline]] inline void multiply_columns(const W* weights, const W* rows, std::int64_t stride,
                                                    std::int64_t keys, std::int64_t d, W* out) {
  using Vector = typename Simd<W, Bytes>::Vector;
  constexpr std::int64_t width = Bytes / sizeof(W);
  Vector sums[Queries][Columns], values[Columns];
#pragma GCC unroll 4
  for (int query = 0; query < Queries; ++query) std::memcpy(sums[query], out + query * d, Columns * width * sizeof(W));
  for (std::int64_t key = 0; key < keys; ++key) {
    std::memcpy(values, rows + key * stride, sizeof values);
#pragma GCC unroll 4
    for (int query = 0; query < Queries; ++query)
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) sums[query][c] += values[c] * weights[query * kBlock + key];
  }
#pragma GCC unroll 4
  for (int query = 0; query < Queries; ++query) std::memcpy(out + query * d, sums[query], Columns * width * sizeof(W));
}

template <typename W, int Bytes, int Queries>
[[gnu::always_inline]] inline void multiply_queries(const W* weights, const W* rows, std::int64_t stride,
                                                    std::int64_t keys, std::int64_t d, W* out) {
  constexpr std::int64_t width = Bytes / sizeof(W);
  std::int64_t c = 0;
  for (; c + 4 * width <= d; c += 4 * width)
    multiply_columns<W, Bytes, Queries, 4>(weights, rows + c, stride, keys, d, out + c);
  for (; c + width <= d; c += width)
    multiply_columns<W, Bytes, Queries, 1>(weights, rows + c, stride, keys, d, out + c);
  for (; c < d; ++c)
    for (int query = 0; query < Queries; ++query)
      for (std::int64_t key = 0; key < keys; ++key)
        out[query * d + c] += weights[query * kBlock + key] * rows[key * stride + c];
}

/// Computes out[query] += Σ p · v.
template <typename W, int Bytes>
[[gnu::always_inline]] inline void multiply_values(const W* weights, std::int64_t count, const W* rows,
                                                   std::int64_t stride, std::int64_t keys, std::int64_t d, W* out) {
  std::int64_t query = 0;
  for (; query + 3 <= count; query += 3)
    multiply_queries<W, Bytes, 3>(weights + query * kBlock, rows, stride, keys, d, out + query * d);
  for (; query < count; ++query)
    multiply_queries<W, Bytes, 1>(weights + query * kBlock, rows, stride, keys, d, out + query * d);
}

#define CARRYOVER_BLOCK_LOOPS(W, TARGET, BYTES)                                                                        \
  TARGET void score_block(const W* queries, std::int64_t count, const W* rows, std::int64_t stride, std::int64_t keys, \
                          std::int64_t d, W* scores) {                                                                 \
    score<W, BYTES>(queries, count, rows, stride, keys, d, scores);                                                    \
  }                                                                                                                    \
  TARGET void multiply_values_block(const W* weights, std::int64_t count, const W* rows, std::int64_t stride,          \
                                    std::int64_t keys, std::int64_t d, W* out) {                                       \
    multiply_values<W, BYTES>(weights, count, rows, stride, keys, d, out);                                             \
  }
CARRYOVER_FOR_TARGETS(CARRYOVER_BLOCK_LOOPS, float)
CARRYOVER_FOR_TARGETS(CARRYOVER_BLOCK_LOOPS, double)
#undef CARRYOVER_BLOCK_LOOPS

/// The contribution of a block for each of its queries: the largest score, the sum of weights and the weighted values,
/// both in units of e^largest.
template <typename W>
struct Partial {
  std::vector<W> tops, sums, values;
};

/// Returns rows [first, first + count) of a block in W, keys or values, and the distance between them. They are copied
/// to `upcast` only if they have to be upcast or do not follow one another.
template <typename T, typename W>
std::pair<const W*, std::int64_t> upcast_rows(const Block<T>& block, const T* from, std::int64_t stride,
                                              std::int64_t first, std::int64_t count, std::int64_t d,
                                              std::vector<W>& upcast) {
  if constexpr (std::is_same_v<T, W>)
    if (block.in_place()) return {from + first * stride, stride};
  upcast.resize(static_cast<std::size_t>(kUpcastRows * d));
  if (block.in_place() && stride == d)
    load(from + first * stride, upcast.data(), count * d);
  else
    for (std::int64_t row = 0; row < count; ++row)
      load(from + (block.in_place() ? first + row : std::int64_t{block.rows[first + row]}) * stride,
           upcast.data() + row * d, d);
  return {upcast.data(), d};
}

template <typename T, typename W>
Partial<W> attend_block(const Block<T>& block, const W* queries, std::int64_t d, double score_cap) {
  const auto count = static_cast<std::size_t>(block.queries);
  Partial<W> partial{std::vector<W>(count), std::vector<W>(count), std::vector<W>(count * static_cast<std::size_t>(d))};
  thread_local std::vector<W> upcast, scores;
  scores.resize(count * static_cast<std::size_t>(kBlock));
  // Rows that have to be copied are taken a few at a time, so that they stay in the first-level cache.
  const std::int64_t step = std::is_same_v<T, W> && block.in_place() ? block.count : kUpcastRows;
  for (std::int64_t first = 0; first < block.count; first += step) {
    const std::int64_t n = std::min(step, block.count - first);
    const auto [keys, stride] = upcast_rows(block, block.keys, block.key_stride, first, n, d, upcast);
    score_block(queries + block.first_query * d, block.queries, keys, stride, n, d, scores.data() + first);
  }
  for (std::size_t query = 0; query < count; ++query) {
    W* own = scores.data() + query * static_cast<std::size_t>(kBlock);
    if (score_cap > 0) soft_cap(own, static_cast<W>(score_cap), block.count);
    partial.tops[query] = largest(own, block.count);
    partial.sums[query] = exponentiate(own, partial.tops[query], block.count);
  }
  for (std::int64_t first = 0; first < block.count; first += step) {
    const std::int64_t n = std::min(step, block.count - first);
    const auto [values, stride] = upcast_rows(block, block.values, block.value_stride, first, n, d, upcast);
    multiply_values_block(scores.data() + first, block.queries, values, stride, n, d, partial.values.data());
  }
  return partial;
}

/// Merges the blocks' partial sums into one softmax for each query, and its log-sum-exp.
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
    lse[query] = std::max(lse[query], part.tops[own]);  // the largest score so far
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

/// Returns the places of `choice` that a list names.
std::vector<std::int32_t> chosen_rows(const std::vector<KeyRange>& list, KeyRange choice) {
  std::vector<std::int32_t> rows;
  for (const KeyRange& range : list) {
    const KeyRange chosen = range.within(choice);
    for (std::int32_t row = chosen.first; row < chosen.end; ++row) rows.push_back(row);
  }
  return rows;
}

/// A query's softmax so far: the weighted values are in units of e^top.
template <typename W>
struct Running {
  W top, sum;
  std::vector<W> values;

  void add(const Partial<W>& part) {
    const W highest = std::max(top, part.tops[0]), old_scale = std::exp(top - highest),
            scale = std::exp(part.tops[0] - highest);
    top = highest;
    sum = sum * old_scale + part.sums[0] * scale;
    for (std::size_t c = 0; c < values.size(); ++c) values[c] = values[c] * old_scale + part.values[c] * scale;
  }
};

}  // namespace

std::pair<at::Tensor, at::Tensor> attend_row(const at::Tensor& queries, const std::vector<KvBlock>& parts,
                                             double score_cap) {
  const std::int64_t G = queries.size(0), r = queries.size(1), d = queries.size(3);
  CARRYOVER_CHECK(queries.stride(3) == 1);
  at::Tensor out = at::empty({G, r, 1, d}, queries.options());
  at::Tensor lse = at::empty({G, r, 1}, queries.options().dtype(compute_type(queries.scalar_type())));
  CARRYOVER_DISPATCH(queries.scalar_type(), "attend_row", [&] {
    using W = at::opmath_type<scalar_t>;
    const auto upcast = [&](const at::Tensor& from) {
      std::vector<W> q(static_cast<std::size_t>(G * r * d));
      for (std::int64_t row = 0; row < G * r; ++row)
        load(from.const_data_ptr<scalar_t>() + row / r * from.stride(0) + row % r * from.stride(1), q.data() + row * d,
             d);
      for (W& value : q) value *= attention_scale<W>(d);
      return q;
    };
    const std::vector<W> all = upcast(queries);
    std::vector<std::vector<W>> own;  // for each part
    for (const KvBlock& part : parts) own.push_back(part.queries.defined() ? upcast(part.queries) : std::vector<W>());
    const auto queries_of = [&](std::size_t part) { return own[part].empty() ? all.data() : own[part].data(); };
    const auto blocks = blocks_of<scalar_t>(parts, G, r);
    std::vector<Partial<W>> partials(blocks.size());
    parallel_for(0, static_cast<std::int64_t>(blocks.size()), grain_of(kBlock * d),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (auto b = static_cast<std::size_t>(begin); b < static_cast<std::size_t>(end); ++b)
                     partials[b] = attend_block<scalar_t, W>(blocks[b], queries_of(blocks[b].part), d, score_cap);
                 });
    merge<scalar_t, W>(blocks, partials, G * r, d, out.template mutable_data_ptr<scalar_t>(),
                       lse.template mutable_data_ptr<W>());
  });
  return {out, lse};
}

at::Tensor add_chosen(const at::Tensor& queries, const KvBlock& prefix, const KeyIndex& index,
                      const std::pair<at::Tensor, at::Tensor>& others, double score_cap) {
  const std::int64_t G = queries.size(0), r = queries.size(1), m = queries.size(2), d = queries.size(3),
                     rows = prefix.rows();
  const auto& [out, lse] = others;
  CARRYOVER_CHECK(index.rows == G * r && index.tiles() == m && (rows == 1 || rows == r) && lse.is_contiguous());
  CARRYOVER_CHECK(queries.stride(3) == 1 && prefix.keys.stride(3) == 1 && prefix.values.stride(3) == 1);
  at::Tensor all = at::empty_like(out);
  CARRYOVER_CHECK(all.strides() == out.strides() && out.stride(3) == 1);
  CARRYOVER_DISPATCH(queries.scalar_type(), "add_chosen", [&] {
    using W = at::opmath_type<scalar_t>;
    const auto row_of = [r, rows](const at::Tensor& kv, std::int64_t head) {
      return kv.const_data_ptr<scalar_t>() + head / r * kv.stride(0) + (rows == 1 ? 0 : head % r) * kv.stride(1);
    };
    const auto* const sums = lse.template const_data_ptr<W>();
    auto* const to = all.template mutable_data_ptr<scalar_t>();
    const auto* const from = out.template const_data_ptr<scalar_t>();
    parallel_for(0, G * r * m, 8, [&](std::int64_t begin, std::int64_t end) {
      std::vector<W> query(static_cast<std::size_t>(d));
      Running<W> running{0, 0, std::vector<W>(query.size())};
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t head = unit / m, i = unit % m,
                           place = head / r * out.stride(0) + head % r * out.stride(1) + i * out.stride(2);
        load(queries.const_data_ptr<scalar_t>() + head / r * queries.stride(0) + head % r * queries.stride(1) +
                 i * queries.stride(2),
             query.data(), d);
        for (W& value : query) value *= attention_scale<W>(d);
        running.top = sums[unit];
        running.sum = 1;
        load(from + place, running.values.data(), d);
        const std::vector<std::int32_t> chosen = chosen_rows(index.list(head, i), index.choice);
        for (std::int64_t first = 0; first < std::ssize(chosen); first += kBlock) {
          const Block<scalar_t> block{row_of(prefix.keys, head),
                                      row_of(prefix.values, head),
                                      prefix.keys.stride(2),
                                      prefix.values.stride(2),
                                      std::min(kBlock, std::ssize(chosen) - first),
                                      0,
                                      1,
                                      0,
                                      chosen.data() + first};
          running.add(attend_block<scalar_t, W>(block, query.data(), d, score_cap));
        }
        for (W& value : running.values) value /= running.sum;
        store(running.values.data(), to + place, d);
      }
    });
  });
  return all;
}

}  // namespace carryover::ops
