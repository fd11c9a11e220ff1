// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/opmath_attention.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include <array>
#include <cmath>
#include <limits>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/listed_rows.h"
#include "engine/ops/cpu/opmath_matmul.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

using namespace opmath;

constexpr std::int64_t kQueries = 48;  ///< queries of a block, a multiple of a matmul's rows
constexpr std::int64_t kKeys = 192;    ///< keys of a tile: with a block's scores it fits in the second-level cache

/// A part's keys and values for one head, or for the heads that share them, with n rounded up to 16 by zeros.
template <typename W>
struct PackedRows {
  Lines<W> keys, values;  ///< [n/16][d][16], [n][row_stride(d)]
  std::int64_t count = 0;
};

/// Packs one row of [G, r or 1]. It uses plain pointers, because tensors are not created in parallel regions.
template <typename T, typename W>
PackedRows<W> pack(const KvBlock& part, std::int64_t group, std::int64_t row) {
  const auto begin = [&](const at::Tensor& rows) {
    return rows.const_data_ptr<T>() + group * rows.stride(0) + row * rows.stride(1);
  };
  const std::int64_t n = part.keys.size(2), d = part.keys.size(3), padded = round_up(n, kSixteen);
  const auto size = static_cast<std::size_t>(padded * row_stride(d));
  PackedRows<W> packed{Lines<W>(static_cast<std::size_t>(padded * d)), Lines<W>(size), n};
  pack_rows(begin(part.keys), part.keys.stride(2), n, padded, d, W{1}, packed.values.data());
  transpose_rows(packed.values.data(), padded, d, packed.keys.data());
  pack_rows(begin(part.values), part.values.stride(2), n, padded, d, W{1}, packed.values.data());
  return packed;
}

/// A block of queries of one head, with its running softmax.
template <typename W>
struct Block {
  std::int64_t first = 0, count = 0, d = 0;    ///< first: index in its segment
  W score_cap = 0;                             ///< 0: scores are not capped
  Lines<W> top, sum, queries, scores, values;  ///< for each query: [], [], [row_stride(d)], [kKeys], [row_stride(d)]

  std::int64_t padded() const { return round_up(count, kSixteen); }
};

template <typename W>
void begin(Block<W>& block) {
  const auto size = static_cast<std::size_t>(kQueries * row_stride(block.d));
  block.top.assign(kQueries, -std::numeric_limits<W>::infinity());
  block.sum.assign(kQueries, 0);
  block.scores.resize(kQueries * kKeys);
  block.values.assign(size, 0);
  block.queries.resize(size);
}

/// Takes the queries with which the parts from here on are multiplied.
template <typename T, typename W>
void take_queries(Block<W>& block, const T* queries, std::int64_t stride) {
  pack_rows(queries, stride, block.count, block.padded(), block.d, attention_scale<W>(block.d), block.queries.data());
}

/// Converts a query's scores to weights; only those of [hidden, visible) count. Earlier sums are scaled to the new top.
template <typename W>
void update_softmax(Block<W>& block, std::int64_t query, std::int64_t hidden, std::int64_t visible, std::int64_t keys) {
  W* scores = block.scores.data() + query * kKeys;
  if (hidden >= visible) {
    std::fill(scores, scores + keys, W{0});
    return;
  }
  std::fill(scores, scores + hidden, W{0});
  std::fill(scores + visible, scores + keys, W{0});
  if (block.score_cap > 0) soft_cap(scores + hidden, block.score_cap, visible - hidden);
  W &summed_top = block.top[static_cast<std::size_t>(query)], &sum = block.sum[static_cast<std::size_t>(query)];
  const W top = std::max(summed_top, largest(scores + hidden, visible - hidden)), before = std::exp(summed_top - top);
  summed_top = top;
  sum = sum * before + exponentiate(scores + hidden, top, visible - hidden);
  if (before == 1) return;
  W* values = block.values.data() + query * row_stride(block.d);
  for (std::int64_t c = 0; c < block.d; ++c) values[c] *= before;
}

template <typename W>
void add_part(Block<W>& block, const PackedRows<W>& part, const KvBlock& kv) {
  const std::int64_t d = block.d, stride = row_stride(d), end = kv.end_seen(block.first + block.count - 1);
  for (std::int64_t tile = kv.first_seen(block.first) / kKeys * kKeys; tile < end; tile += kKeys) {
    const std::int64_t keys = std::min(kKeys, end - tile);
    multiply({block.padded(), round_up(keys, kSixteen), d}, Rows<W>{block.queries.data(), stride},
             Columns<W>{part.keys.data() + tile * d, kSixteen, kSixteen * d}, {block.scores.data(), kKeys}, false);
    for (std::int64_t query = 0; query < block.count; ++query)
      update_softmax(block, query, std::clamp<std::int64_t>(kv.first_seen(block.first + query) - tile, 0, keys),
                     std::clamp<std::int64_t>(kv.end_seen(block.first + query) - tile, 0, keys), keys);
    multiply({block.padded(), round_up(d, kSixteen), keys}, Rows<W>{block.scores.data(), kKeys},
             Columns<W>{part.values.data() + tile * stride, stride}, {block.values.data(), stride}, true);
  }
}

template <typename T, typename W>
void finish(Block<W>& block, T* out, std::int64_t stride, W* lse) {
  for (std::int64_t query = 0; query < block.count; ++query) {
    const auto at = static_cast<std::size_t>(query);
    W* values = block.values.data() + query * row_stride(block.d);
    const W share = block.sum[at] > 0 ? 1 / block.sum[at] : 0;  // zeros if the query sees no key
    for (std::int64_t c = 0; c < block.d; ++c) values[c] *= share;
    store(values, out + query * stride, block.d);
    lse[query] = block.top[at] + std::log(block.sum[at]);
  }
}

template <typename T>
std::pair<at::Tensor, at::Tensor> attend(const at::Tensor& queries, const std::vector<KvBlock>& parts,
                                         double score_cap) {
  using W = at::opmath_type<T>;
  const std::int64_t G = queries.size(0), r = queries.size(1), m = queries.size(2), d = queries.size(3), heads = G * r;
  std::vector<std::vector<PackedRows<W>>> packed;  // by part, then by [G, rows]
  for (const KvBlock& part : parts) {
    const std::int64_t rows = part.rows();
    CARRYOVER_CHECK(part.keys.stride(3) == 1 && part.values.stride(3) == 1);
    auto& own = packed.emplace_back(static_cast<std::size_t>(G * rows));
    parallel_for(0, G * rows, grain_of(part.keys.size(2) * d), [&](std::int64_t begin_row, std::int64_t end_row) {
      for (std::int64_t row = begin_row; row < end_row; ++row)
        own[static_cast<std::size_t>(row)] = pack<T, W>(part, row / rows, row % rows);
    });
  }
  // Memory is [m, G·r, d]: the rows of the next matmul, without a copy.
  at::Tensor out = at::empty_strided({G, r, m, d}, {r * d, d, heads * d, 1}, queries.options()),
             lse = at::empty({G, r, m}, queries.options().dtype(compute_type(queries.scalar_type())));
  T* to = out.mutable_data_ptr<T>();
  W* lse_to = lse.mutable_data_ptr<W>();
  const std::int64_t blocks = (m + kQueries - 1) / kQueries;
  parallel_for(0, blocks * heads, 1, [&](std::int64_t begin_unit, std::int64_t end_unit) {
    Block<W> block;
    block.score_cap = static_cast<W>(score_cap);
    for (std::int64_t unit = begin_unit; unit < end_unit; ++unit) {
      // A causal block costs more the later it is, so the first is paired with the last, and all threads have equal
      // work.
      const std::int64_t order = unit / heads, head = unit % heads;
      block.first = (order % 2 == 0 ? order / 2 : blocks - 1 - order / 2) * kQueries;
      block.count = std::min(kQueries, m - block.first);
      block.d = d;
      begin(block);
      const at::Tensor* taken = nullptr;
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (const at::Tensor& q = parts[part].queries_or(queries); taken != &q) {
          take_queries(
              block,
              q.const_data_ptr<T>() + head / r * q.stride(0) + head % r * q.stride(1) + block.first * q.stride(2),
              q.stride(2));
          taken = &q;
        }
        add_part(block, packed[part][static_cast<std::size_t>(parts[part].rows() == 1 ? head / r : head)], parts[part]);
      }
      finish(block, to + (block.first * heads + head) * d, heads * d, lse_to + head * m + block.first);
    }
  });
  return {out, lse};
}

/// A thread's buffers into which keys and values of a list are gathered.
template <typename T, typename W>
struct Gathered {
  std::vector<T> keys, values;
  PackedRows<W> packed;
  std::vector<std::int64_t> places;

  explicit Gathered(std::int64_t d)
      : keys(static_cast<std::size_t>(kKeys * d)), values(keys.size()), places(static_cast<std::size_t>(kKeys)) {
    packed.keys.resize(static_cast<std::size_t>(kKeys * d));
    packed.values.resize(static_cast<std::size_t>(kKeys * row_stride(d)));
  }
  bool take(ListedRows<T>& from, std::int64_t d) {
    packed.count = from.take(kKeys, keys.data(), values.data(), places.data());
    const std::int64_t padded = round_up(packed.count, kSixteen);
    pack_rows(keys.data(), d, packed.count, padded, d, W{1}, packed.values.data());
    transpose_rows(packed.values.data(), padded, d, packed.keys.data());
    pack_rows(values.data(), d, packed.count, padded, d, W{1}, packed.values.data());
    return packed.count > 0;
  }
};

/// The Way by which attend_lists() multiplies in opmath.
template <typename T>
struct OpmathLists {
  using Element = T;
  using W = at::opmath_type<T>;
  using Queries = Block<W>;
  using Keys = Gathered<T, W>;
  struct Use {};
  static constexpr std::int64_t kMost = kQueries;
  double score_cap;

  void take(Queries& block, const T* from, std::int64_t stride, std::int64_t count, std::int64_t d) const {
    block.score_cap = static_cast<W>(score_cap);
    block.first = 0;
    block.count = count;
    block.d = d;
    begin(block);
    take_queries(block, from, stride);
  }

  template <typename SeenBy>
  static void add(Queries& block, const Keys& gathered, SeenBy&& seen_by) {
    const std::int64_t d = block.d, stride = row_stride(d), keys = gathered.packed.count;
    multiply({block.padded(), round_up(keys, kSixteen), d}, Rows<W>{block.queries.data(), stride},
             Columns<W>{gathered.packed.keys.data(), kSixteen, kSixteen * d}, {block.scores.data(), kKeys}, false);
    for (std::int64_t query = 0; query < block.count; ++query) update_softmax(block, query, 0, seen_by(query), keys);
    multiply({block.padded(), round_up(d, kSixteen), keys}, Rows<W>{block.scores.data(), kKeys},
             Columns<W>{gathered.packed.values.data(), stride}, {block.values.data(), stride}, true);
  }

  static void finish(Queries& block, T* out, std::int64_t stride) {
    std::array<W, kMost> unused;
    ops::finish(block, out, stride, unused.data());
  }
};

}  // namespace

at::Tensor attend_listed_opmath(const at::Tensor& queries, const std::vector<KvBlock>& parts, const KeyIndex& index,
                                double score_cap) {
  return CARRYOVER_DISPATCH(queries.scalar_type(), "attend_listed",
                            [&] { return attend_lists(OpmathLists<scalar_t>{score_cap}, queries, parts, index); });
}

std::pair<at::Tensor, at::Tensor> attend_opmath(const at::Tensor& queries, const std::vector<KvBlock>& parts,
                                                double score_cap) {
  CARRYOVER_CHECK(queries.stride(3) == 1);
  return CARRYOVER_DISPATCH(queries.scalar_type(), "attend_opmath",
                            [&] { return attend<scalar_t>(queries, parts, score_cap); });
}

}  // namespace carryover::ops
