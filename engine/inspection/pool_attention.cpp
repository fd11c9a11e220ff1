// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/pool_attention.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/base/attention_scale.h"
#include "engine/method/retrieval_pool.h"
#include "engine/ops/soft_cap.h"

namespace carryover {

namespace {

constexpr std::int64_t kScores = std::int64_t{1} << 22;  // held at a time

/// [entries] fp64: mean over queries [m, d] of the softmax over keys [entries, d].
at::Tensor mean_attention(const at::Tensor& queries, const at::Tensor& keys, double score_cap) {
  if (keys.size(0) == 0) return at::zeros({0}, at::kDouble);
  const at::ScalarType opmath = queries.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor scaled = queries.to(opmath) * attention_scale<double>(queries.size(1));
  const at::Tensor columns = keys.to(opmath).t();
  const std::int64_t m = queries.size(0), rows = std::max<std::int64_t>(1, kScores / keys.size(0));
  at::Tensor sum = at::zeros({keys.size(0)}, queries.options().dtype(at::kDouble));
  for (std::int64_t first = 0; first < m; first += rows) {
    const at::Tensor scores = at::mm(scaled.narrow(0, first, std::min(rows, m - first)), columns);
    sum += at::softmax(ops::soft_capped(scores, score_cap), 1).sum(0, false, at::kDouble);
  }
  return (sum / m).cpu();
}

/// `first`: the position of the attention's first entry. It has none of a position that no search finds; prescribed
/// hits may be of one, and count as missed.
HeadRecall compare(const HeadHits& hits, const at::Tensor& attention, std::int64_t first) {
  HeadRecall recall{{hits.layer, hits.head}, 0, 0, 0, {}};
  const auto* mass = attention.const_data_ptr<double>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(attention.numel()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const std::int64_t r = std::min<std::int64_t>(std::ssize(hits.hits), attention.numel());
  std::partial_sort(order.begin(), order.begin() + r, order.end(),
                    [mass](std::int64_t a, std::int64_t b) { return mass[a] != mass[b] ? mass[a] > mass[b] : a < b; });
  recall.oracle.assign(order.begin(), order.begin() + r);
  for (std::int64_t& position : recall.oracle) position += first;
  std::sort(recall.oracle.begin(), recall.oracle.end());
  std::int64_t found = 0;
  for (const std::int64_t position : recall.oracle) recall.oracle_mass += mass[position - first];
  for (const Hit& hit : hits.hits) {
    if (hit.position < first || hit.position - first >= attention.numel()) continue;
    recall.mass += mass[hit.position - first];
    found += std::binary_search(recall.oracle.begin(), recall.oracle.end(), hit.position);
  }
  recall.recall = r > 0 ? static_cast<double>(found) / static_cast<double>(r) : 0;
  return recall;
}

}  // namespace

void PoolAttention::see(const AttentionSight& sight) {
  const LayerPool& layer = policy_.pool(state_).layer(sight.layer);
  const std::int64_t group_size = sight.queries.size(0) / sight.kv.keys.size(0);
  for (const HeadHits& hits : state_.hits) {
    if (hits.layer != sight.layer) continue;
    const auto [first, count] = policy_.searched(state_, hits);
    const std::int32_t slot = layer.slot_of(static_cast<int>(hits.head / group_size));
    const at::Tensor keys = layer.keys.upcast(slot, first, count);
    const at::Tensor queries = sight.kv.queries[hits.head].to(keys.device());
    recall_.push_back(compare(hits, mean_attention(queries, keys, sight.score_cap), first));
  }
}

}  // namespace carryover
