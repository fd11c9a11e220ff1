// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/bf16_attention.h"

#include <ATen/ATen.h>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/amx_tiles.h"
#include "engine/ops/cpu/listed_rows.h"
#include "engine/runtime/parallel.h"

#ifdef __x86_64__
#include <array>
#include <cmath>
#include <limits>

namespace carryover::ops {

namespace {

using namespace bf16;

constexpr std::int64_t kTile = 256;  ///< number of keys, used for all queries of a block while they are in the
                                     ///< first-level cache

/// A part's keys and values for one head, or for the heads that share them, as the matmuls read them: pairs of values
/// that are summed over are adjacent. Keys are [n/16][d/2][16][2] and values [n/2][d][2], with n rounded up to 64 by
/// zeros.
struct PackedRows {
  Lines<Bf16> keys, values;
  std::int64_t count = 0;
};

/// Packs one row of [G, r or 1]. It uses plain pointers, because tensors are not created in parallel regions.
PackedRows pack(const KvBlock& part, std::int64_t group, std::int64_t row) {
  const auto begin = [&](const at::Tensor& rows) { return bits(rows) + group * rows.stride(0) + row * rows.stride(1); };
  const std::int64_t n = part.keys.size(2), d = part.keys.size(3), padded = round_up(n, kWidth);
  const auto size = static_cast<std::size_t>(padded * d);
  PackedRows packed{Lines<Bf16>(size), Lines<Bf16>(size), n};
  pack_lanes(begin(part.keys), part.keys.stride(2), n, padded, d, packed.keys.data());
  pack_pairs(begin(part.values), part.values.stride(2), n, padded, d, packed.values.data());
  return packed;
}

/// A block of queries of one head, with its running softmax.
struct Block {
  std::int64_t count = 0, padded = 0, d = 0;  ///< padded: with zeros to the rows of a matmul
  Lines<float> top, sum, scores, values;      ///< for each query: [], [], [kTile], [d]
  Lines<Bf16> queries, weights;               ///< for each query: [d], [kTile]
};

template <typename Matmul>
CARRYOVER_BF16 void score(Block& block, const Bf16* keys, std::int64_t columns) {
  for (std::int64_t q = 0; q < block.padded; q += Matmul::kRows)
    for (std::int64_t k = 0; k < columns; k += kWidth)
      Matmul::multiply(block.queries.data() + q * block.d, block.d,
                       {keys + k * block.d, block.d / 2, 2 * kLanes, kLanes * block.d}, false,
                       block.scores.data() + q * kTile + k, kTile);
}

/// Converts a query's scores to weights; only those of [hidden, visible) count. Earlier sums are scaled to the new top.
CARRYOVER_BF16 void update_softmax(Block& block, std::int64_t query, std::int64_t hidden, std::int64_t visible,
                                   std::int64_t columns, float scale) {
  float* scores = block.scores.data() + query * kTile;
  Bf16* weights = block.weights.data() + query * kTile;
  const auto before_at = [](std::int64_t end, std::int64_t k) {
    return (1u << std::clamp<std::int64_t>(end - k, 0, kLanes)) - 1u;
  };
  const auto mask_at = [&](std::int64_t k) {
    return static_cast<__mmask16>(before_at(visible, k) & ~before_at(hidden, k));
  };
  __m512 most = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  for (std::int64_t k = hidden / kLanes * kLanes; k < visible; k += kLanes)
    most = _mm512_mask_max_ps(most, mask_at(k), most, _mm512_loadu_ps(scores + k));
  float& summed_top = block.top[static_cast<std::size_t>(query)];
  const float top = std::max(summed_top, _mm512_reduce_max_ps(most) * scale);
  const __m512 shift = _mm512_set1_ps(top), factor = _mm512_set1_ps(scale);
  __m512 sum = _mm512_setzero_ps();
  for (std::int64_t k = 0; k < columns; k += kLanes) {
    const __m512 x = _mm512_fmsub_ps(_mm512_loadu_ps(scores + k), factor, shift);
    const __m512 p = _mm512_maskz_mov_ps(mask_at(k), exponential(x));
    sum = _mm512_add_ps(sum, p);
    store_bf16(weights + k, p);
  }
  const float before = std::exp(summed_top - top);
  summed_top = top;
  float& all = block.sum[static_cast<std::size_t>(query)];
  all = all * before + _mm512_reduce_add_ps(sum);
  if (before == 1) return;
  float* values = block.values.data() + query * block.d;
  for (std::int64_t c = 0; c < block.d; c += kLanes)
    _mm512_storeu_ps(values + c, _mm512_mul_ps(_mm512_loadu_ps(values + c), _mm512_set1_ps(before)));
}

template <typename Matmul>
CARRYOVER_BF16 void add_values(Block& block, const Bf16* values, std::int64_t columns) {
  for (std::int64_t q = 0; q < block.padded; q += Matmul::kRows)
    for (std::int64_t c = 0; c < block.d; c += kWidth)
      Matmul::multiply(block.weights.data() + q * kTile, kTile, {values + 2 * c, columns / 2, 2 * block.d, 2 * kLanes},
                       true, block.values.data() + q * block.d + c, block.d);
}

CARRYOVER_BF16 void finish(const Block& block, Bf16* out, std::int64_t stride, float* lse) {
  for (std::int64_t query = 0; query < block.count; ++query) {
    const auto at = static_cast<std::size_t>(query);
    const __m512 share = _mm512_set1_ps(block.sum[at] > 0 ? 1 / block.sum[at] : 0);  // zeros if the query sees no key
    for (std::int64_t c = 0; c < block.d; c += kLanes) {
      const __m512 value = _mm512_mul_ps(_mm512_loadu_ps(block.values.data() + query * block.d + c), share);
      store_bf16(out + query * stride + c, value);
    }
    lse[query] = block.top[at] + std::log(block.sum[at]);
  }
}

template <typename Matmul>
void begin(Block& block, std::int64_t count, std::int64_t d) {
  constexpr std::size_t most = Matmul::kQueries;
  const auto width = static_cast<std::size_t>(d);
  block.count = count;
  block.padded = round_up(count, Matmul::kRows);
  block.d = d;
  block.top.assign(most, -std::numeric_limits<float>::infinity());
  block.sum.assign(most, 0.0f);
  block.scores.resize(most * kTile);
  block.weights.assign(most * kTile, 0);
  block.values.assign(most * width, 0.0f);
  block.queries.resize(most * width);
}

/// Adds a part's keys to the block's running softmax. `first`: index of the block's first query in its segment.
template <typename Matmul>
void add_part(Block& block, const PackedRows& part, const KvBlock& kv, std::int64_t first, float scale) {
  const std::int64_t end = kv.end_seen(first + block.count - 1);
  for (std::int64_t tile = kv.first_seen(first) / kTile * kTile; tile < end; tile += kTile) {
    const std::int64_t keys = std::min(kTile, end - tile);
    const std::int64_t columns = round_up(keys, kWidth);
    score<Matmul>(block, part.keys.data() + tile * block.d, columns);
    for (std::int64_t query = 0; query < block.count; ++query) {
      const std::int64_t hidden = std::clamp<std::int64_t>(kv.first_seen(first + query) - tile, 0, keys),
                         visible = std::clamp<std::int64_t>(kv.end_seen(first + query) - tile, 0, keys);
      if (hidden < visible)
        update_softmax(block, query, hidden, visible, columns, scale);
      else
        std::fill_n(block.weights.data() + query * kTile, columns, Bf16{0});
    }
    add_values<Matmul>(block, part.values.data() + tile * block.d, columns);
  }
}

template <typename Matmul>
std::pair<at::Tensor, at::Tensor> attend(const at::Tensor& queries, const std::vector<KvBlock>& parts) {
  const std::int64_t G = queries.size(0), r = queries.size(1), m = queries.size(2), d = queries.size(3);
  CARRYOVER_CHECK(queries.stride(3) == 1);
  std::vector<std::vector<PackedRows>> packed;  // by part, then by [G, rows]
  for (const KvBlock& part : parts) {
    const std::int64_t rows = part.rows();
    CARRYOVER_CHECK(part.keys.stride(3) == 1 && part.values.stride(3) == 1);
    auto& own = packed.emplace_back(static_cast<std::size_t>(G * rows));
    parallel_for(0, G * rows, grain_of(part.keys.size(2) * d), [&](std::int64_t begin_row, std::int64_t end_row) {
      for (std::int64_t row = begin_row; row < end_row; ++row)
        own[static_cast<std::size_t>(row)] = pack(part, row / rows, row % rows);
    });
  }
  // Memory is [m, G·r, d]: the rows of the next matmul, without a copy.
  at::Tensor out = at::empty_strided({G, r, m, d}, {r * d, d, G * r * d, 1}, queries.options()),
             lse = at::empty({G, r, m}, queries.options().dtype(at::kFloat));
  Bf16* to = mutable_bits(out);
  auto* lse_to = lse.mutable_data_ptr<float>();
  constexpr std::int64_t most = Matmul::kQueries;
  const std::int64_t blocks = (m + most - 1) / most, heads = G * r;
  const float scale = attention_scale<float>(d);
  parallel_for(0, blocks * heads, 1, [&](std::int64_t begin_unit, std::int64_t end_unit) {
    [[maybe_unused]] const typename Matmul::Use use;
    Block block;
    for (std::int64_t unit = begin_unit; unit < end_unit; ++unit) {
      // A causal block costs more the later it is, so the first is paired with the last, and all threads have equal
      // work.
      const std::int64_t order = unit / heads, head = unit % heads;
      const std::int64_t first = (order % 2 == 0 ? order / 2 : blocks - 1 - order / 2) * most;
      begin<Matmul>(block, std::min(most, m - first), d);
      const at::Tensor* taken = nullptr;
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (const at::Tensor& q = parts[part].queries_or(queries); taken != &q) {
          copy_rows(bits(q) + head / r * q.stride(0) + head % r * q.stride(1) + first * q.stride(2), q.stride(2),
                    block.count, block.padded, d, block.queries.data());
          taken = &q;
        }
        const std::int64_t row = parts[part].rows() == 1 ? head / r : head;
        add_part<Matmul>(block, packed[part][static_cast<std::size_t>(row)], parts[part], first, scale);
      }
      finish(block, to + (first * heads + head) * d, heads * d, lse_to + head * m + first);
    }
  });
  return {out, lse};
}

/// A thread's buffers into which keys and values of a list are gathered.
struct Gathered {
  Lines<Bf16> keys, values;
  PackedRows packed;
  std::vector<std::int64_t> places;

  explicit Gathered(std::int64_t d) : places(kTile) {
    for (Lines<Bf16>* rows : {&keys, &values, &packed.keys, &packed.values})
      rows->resize(static_cast<std::size_t>(kTile * d));
  }
  bool take(ListedRows<Bf16>& from, std::int64_t d) {
    packed.count = from.take(kTile, keys.data(), values.data(), places.data());
    const std::int64_t padded = round_up(packed.count, kWidth);
    pack_lanes(keys.data(), d, packed.count, padded, d, packed.keys.data());
    pack_pairs(values.data(), d, packed.count, padded, d, packed.values.data());
    return packed.count > 0;
  }
};

/// The Way by which attend_lists() multiplies in bf16.
template <typename Matmul>
struct Bf16Lists {
  using Element = Bf16;
  using Queries = Block;
  using Keys = Gathered;
  using Use = typename Matmul::Use;
  static constexpr std::int64_t kMost = Matmul::kQueries;

  static void take(Queries& block, const Bf16* from, std::int64_t stride, std::int64_t count, std::int64_t d) {
    begin<Matmul>(block, count, d);
    copy_rows(from, stride, block.count, block.padded, d, block.queries.data());
  }

  template <typename SeenBy>
  static void add(Queries& block, const Keys& gathered, SeenBy&& seen_by) {
    const std::int64_t columns = round_up(gathered.packed.count, kWidth);
    const float scale = attention_scale<float>(block.d);
    score<Matmul>(block, gathered.packed.keys.data(), columns);
    for (std::int64_t query = 0; query < block.count; ++query) {
      if (const std::int64_t visible = seen_by(query); visible > 0)
        update_softmax(block, query, 0, visible, columns, scale);
      else
        std::fill_n(block.weights.data() + query * kTile, columns, Bf16{0});
    }
    add_values<Matmul>(block, gathered.packed.values.data(), columns);
  }

  static void finish(Queries& block, Bf16* out, std::int64_t stride) {
    std::array<float, kMost> unused;
    ops::finish(block, out, stride, unused.data());
  }
};

}  // namespace

bool has_bf16_attention(const at::Tensor& queries) {
  return has_dots() && queries.scalar_type() == at::kBFloat16 && queries.size(3) % kWidth == 0;
}

std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor& queries, const std::vector<KvBlock>& parts) {
  return bf16_tiles() ? attend<Tiles>(queries, parts) : attend<Dots>(queries, parts);
}

at::Tensor attend_listed_bf16(const at::Tensor& queries, const std::vector<KvBlock>& parts, const KeyIndex& index) {
  return bf16_tiles() ? attend_lists(Bf16Lists<Tiles>{}, queries, parts, index)
                      : attend_lists(Bf16Lists<Dots>{}, queries, parts, index);
}

}  // namespace carryover::ops

#else

namespace carryover::ops {
bool has_bf16_attention(const at::Tensor&) {
  return false;
}
std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor&, const std::vector<KvBlock>&) {
  throw EngineError(Fault::Internal, "attention", "this processor has no bf16 dot products");
}
at::Tensor attend_listed_bf16(const at::Tensor&, const std::vector<KvBlock>&, const KeyIndex&) {
  throw EngineError(Fault::Internal, "attention", "this processor has no bf16 dot products");
}
}  // namespace carryover::ops

#endif
