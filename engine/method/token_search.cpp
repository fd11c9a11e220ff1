// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/token_search.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <span>

#include "engine/config/head_reads.h"
#include "engine/method/head_select.h"
#include "engine/ops/retrieval_ops.h"
#include "engine/runtime/parallel.h"

namespace carryover {

namespace {

constexpr std::int64_t kRanked = std::int64_t{1} << 20;  ///< entries that are ranked at a time

/// Returns the row of a prefix that each head of the group reads.
std::vector<std::int32_t> prefix_rows(const HeadGroup& group, const ModelConfig& model) {
  const std::vector<int> rows = places_of(kv_heads_of_each(group.heads, model), distinct_kv_heads(group.heads, model));
  return {rows.begin(), rows.end()};
}

/// Returns what the query at place `own` sees: all but those slots of the pool that are not among its best.
std::vector<KeyRange> seen_by_query(std::span<const std::int64_t> best, const PrefixSpan& pool, std::int64_t own) {
  std::vector<KeyRange> seen{KeyRange::of(0, pool.first), KeyRange::of(pool.end(), own + 1)};
  seen.reserve(best.size() + 2);
  for (const std::int64_t entry : best)
    if (entry >= 0)
      seen.push_back(KeyRange::of(pool.first + entry, pool.first + entry + 1));  // −1: its score is no number
  unite(seen);
  return seen;
}

}  // namespace

KeyIndex search_per_token(const HeadGroup& group, const ChunkQueries& chunk, std::int64_t most,
                          const ModelConfig& model) {
  const at::NoGradGuard no_gradients;
  const PrefixSpan pool = group.span(PrefixPart::Retrieved);
  const std::int64_t heads = std::ssize(group.heads), m = chunk.count(),
                     behind = group.slots() + chunk.kv.keys.size(1) - m;  // the first query's own place
  CARRYOVER_CHECK(!group.prefix_per_query_head && pool.length > most);
  const ops::StoredKeys keys{group.prefix_keys.detach().narrow(1, pool.first, pool.length), {}};
  const at::Tensor queries = select_heads(chunk.rotated.detach(), group.heads);
  const std::vector<std::int32_t> rows = prefix_rows(group, model);
  KeyIndex index = KeyIndex::of_tiles(heads, 1, 0, m);
  index.choice = pool.range();
  const std::int64_t step = std::max<std::int64_t>(1, kRanked / (heads * most));
  for (std::int64_t first = 0; first < m; first += step) {
    const std::int64_t count = std::min(step, m - first);
    const ops::RankedEntries best = ops::pool_topk(keys, pool.length, queries.narrow(1, first, count), rows, most);
    ops::parallel_for(0, heads * count, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t query = first + i % count;
        index.lists[static_cast<std::size_t>(i / count * m + query)] =
            seen_by_query({best.indices.data() + i * most, static_cast<std::size_t>(most)}, pool, behind + query);
      }
    });
  }
  return index;
}

}  // namespace carryover
