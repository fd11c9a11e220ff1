// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/retriever.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/core/base/error.h"
#include "engine/ops/cuda/device_search.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/retrieval_ops.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

constexpr double kCloseMargin = 1e-5;  // of ‖summary‖·‖key‖: what fp32 rounding can turn around

/// What one head's summaries ranked: rows of k + 1, the last only to see how close the cut was.
struct HeadRanking {
  const ops::RankedEntries& ranked;
  std::int64_t first_row, summaries;

  double score(std::int64_t summary, std::int64_t rank) const { return ranked.scores[at(summary, rank)]; }
  std::int64_t index(std::int64_t summary, std::int64_t rank) const { return ranked.indices[at(summary, rank)]; }
  std::size_t at(std::int64_t summary, std::int64_t rank) const {
    return static_cast<std::size_t>((first_row + summary) * ranked.k + rank);
  }
};

std::vector<Candidate> candidates_of(const HeadRanking& ranking) {
  std::vector<Candidate> candidates;
  for (std::int64_t s = 0; s < ranking.summaries; ++s)
    for (std::int64_t rank = 0; rank + 1 < ranking.ranked.k; ++rank)
      if (ranking.index(s, rank) >= 0)
        candidates.push_back({ranking.index(s, rank), static_cast<float>(ranking.score(s, rank)), static_cast<int>(s)});
  return candidates;
}

/// Where a ranking was cut: how much better the last one in was than the next.
struct Cut {
  double gap;
  std::int64_t summary;  ///< of the head
  std::size_t last_in;   ///< its place in the ranking
};

/// One head's cuts: k-th against next per summary, A-th against next in the union.
std::vector<Cut> cuts_of(const HeadRanking& ranking, std::int64_t anchors) {
  const std::int64_t k = ranking.ranked.k - 1;
  std::vector<Cut> cuts;
  std::vector<std::tuple<std::int64_t, double, std::int64_t, std::int64_t>> order;  // index, −score, summary, rank
  for (std::int64_t s = 0; s < ranking.summaries; ++s) {
    if (ranking.index(s, k) >= 0)
      cuts.push_back({ranking.score(s, k - 1) - ranking.score(s, k), s, ranking.at(s, k - 1)});
    for (std::int64_t rank = 0; rank < k && ranking.index(s, rank) >= 0; ++rank)
      order.emplace_back(ranking.index(s, rank), -ranking.score(s, rank), s, rank);
  }
  std::sort(order.begin(), order.end());  // each index by its best score, of equal ones the first summary's
  const auto same_index = [](const auto& a, const auto& b) { return std::get<0>(a) == std::get<0>(b); };
  order.erase(std::unique(order.begin(), order.end(), same_index), order.end());
  if (std::ssize(order) <= anchors) return cuts;
  const auto better = [](const auto& a, const auto& b) {
    return std::tie(std::get<1>(a), std::get<0>(a)) < std::tie(std::get<1>(b), std::get<0>(b));
  };
  std::nth_element(order.begin(), order.begin() + anchors, order.end(), better);
  const auto& [index, negated, summary, rank] = *std::max_element(order.begin(), order.begin() + anchors, better);
  cuts.push_back({std::get<1>(order[static_cast<std::size_t>(anchors)]) - negated, summary, ranking.at(summary, rank)});
  return cuts;
}

/// Cuts made within rounding's reach. norms(i): ‖summary‖·‖key‖ of the last one in of cut i.
template <typename Norms>
std::int64_t count_close(const std::vector<Cut>& cuts, const Norms& norms) {
  std::int64_t close = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) close += cuts[i].gap < kCloseMargin * norms(i);
  return close;
}

/// The slots of head `h`, with what the device found of them.
std::vector<Hit> hits_of(const ops::FoundHits& found, const HeadRanking& ranking, std::size_t h, std::size_t heads) {
  const std::size_t length = found.positions.size() / heads;
  std::vector<Hit> hits;
  for (std::size_t slot = h * length; slot < (h + 1) * length; ++slot) {
    Hit& hit = hits.emplace_back(Hit{.position = found.positions[slot]});
    if (found.origins[slot] < 0) continue;
    const std::int64_t summary = found.origins[slot] / found.ranked.k, rank = found.origins[slot] % found.ranked.k;
    hit.anchor = ranking.index(summary, rank);
    hit.score = static_cast<float>(ranking.score(summary, rank));
    hit.summary = static_cast<int>(summary);
    hit.kind = hit.anchor == hit.position ? HitKind::Anchor : HitKind::Expanded;
  }
  return hits;
}

/// The same ranges, counted from position `first`.
std::vector<TokenRange> counted_from(std::int64_t first, std::vector<TokenRange> ranges) {
  for (TokenRange& range : ranges) range = {range.first - first, range.last - first};
  return ranges;
}

/// Hits counted from the first entry behind the sinks, as absolute positions.
std::vector<Hit> behind(std::int64_t sinks, std::vector<Hit> hits) {
  for (Hit& hit : hits) {
    hit.position += sinks;
    if (hit.kind != HitKind::Padding) hit.anchor += sinks;
  }
  return hits;
}

/// ‖key‖ of the last one in, for each cut: of entries of a slot.
at::Tensor key_norms(const ops::StoredKeys& keys, std::int64_t slot, const ops::RankedEntries& ranked,
                     const std::vector<Cut>& cuts) {
  std::vector<std::int64_t> indices;
  for (const Cut& cut : cuts) indices.push_back(ranked.indices[cut.last_in]);
  const at::Tensor rows = keys.slot(slot).select(at::tensor(indices, at::kLong)).upcast(0, 0, std::ssize(indices));
  return rows.to(at::kDouble).norm(2, -1).cpu();
}

/// [heads, P] of one layer's heads.
at::Tensor positions_of(std::span<const HeadHits> heads, const RetrievalPool& pool) {
  const std::int64_t entries = pool.entries(), first = pool.first_searched();
  const std::size_t length = heads[0].hits.size();
  at::Tensor positions =
      at::empty({static_cast<std::int64_t>(heads.size()), static_cast<std::int64_t>(length)}, at::kLong);
  auto* out = positions.mutable_data_ptr<std::int64_t>();
  for (const HeadHits& head : heads) {
    const bool within =
        head.hits.empty() || (head.hits.front().position >= first && head.hits.back().position < entries);
    if (head.hits.size() != length || !within)
      throw EngineError(Fault::BadInput, "forced hits",
                        "segment " + std::to_string(head.segment) + ", layer " + std::to_string(head.layer) +
                            ", head " + std::to_string(head.head) + " does not fit: positions " +
                            std::to_string(first) + " to " + std::to_string(entries - 1) +
                            " can be read and the layer's other heads read " + std::to_string(length),
                        "Record the hits on the same text with the same configuration.");
    for (const Hit& hit : head.hits) *out++ = hit.position;
  }
  return positions;
}

/// Top-k over the entries behind the sinks that are not banned, counted from the first entry behind the sinks.
ops::RankedEntries rank(const LayerPool& layer, const RetrievalPool& pool, const at::Tensor& summaries, std::int64_t k,
                        const std::vector<TokenRange>& banned) {
  const ops::StoredKeys searched = layer.keys.after(pool.first_searched());
  const std::int64_t entries = pool.entries() - pool.first_searched();
  if (banned.empty()) return ops::pool_topk(searched, entries, summaries, layer.head_slot, k);
  std::vector<std::int64_t> allowed;
  for (std::int64_t position = 0; position < entries; ++position)
    if (std::none_of(banned.begin(), banned.end(), [&](const TokenRange& range) { return range.contains(position); }))
      allowed.push_back(position);
  const ops::StoredKeys keys = searched.select(at::tensor(allowed, at::kLong));
  auto ranked = ops::pool_topk(keys, std::ssize(allowed), summaries, layer.head_slot, k);
  for (std::int64_t& index : ranked.indices)
    if (index >= 0) index = allowed[static_cast<std::size_t>(index)];
  return ranked;
}

}  // namespace

std::int64_t RetrievedPrefix::bytes() const {
  std::int64_t total = 0;
  for (const LayerPrefix& layer : layers)
    if (layer.keys.defined()) total += static_cast<std::int64_t>(layer.keys.nbytes() + layer.values.nbytes());
  return total;
}

at::Tensor query_summaries(const SegmentConfig& config, const at::Tensor& queries) {
  const at::Tensor upcast = queries.to(ops::compute_type(queries.scalar_type()));
  const std::int64_t available = upcast.size(1), w = config.summary_window;
  const at::Tensor means = available >= w ? upcast.unfold(1, w, config.summary_stride).mean(-1) : upcast.mean(1, true);
  const std::int64_t tail = std::min(config.summary_tail, available);
  return at::cat({means, upcast.narrow(1, available - tail, tail).mean(1, true)}, 1);
}

Retriever::Retriever(const SegmentConfig& config, const ModelConfig& model, const std::vector<HeadHits>& forced,
                     std::vector<TokenRange> banned)
    : config_(config), model_(model), banned_(std::move(banned)) {
  for (const HeadHits& record : forced) forced_[{record.segment, record.layer, record.head}] = record;
}

const HeadHits* Retriever::forced_for(std::int64_t reader, int layer, int head) const {
  const auto found = forced_.find({reader, layer, head});
  return found == forced_.end() ? nullptr : &found->second;
}

std::vector<HeadHits> Retriever::search(int layer, const at::Tensor& queries, const RetrievalPool& pool,
                                        std::int64_t reader, std::int64_t& near_ties) const {
  const std::vector<int>& heads = config_.grouping.long_heads(layer);
  const LayerPool& layer_pool = pool.layer(layer);
  at::Tensor summaries = query_summaries(config_, queries).to(layer_pool.keys.device());
  const std::int64_t n = summaries.size(1);
  const std::int64_t first = pool.first_searched(), entries = pool.entries() - first;
  const SelectionRule selection = rule(first);
  const auto ranked = rank(layer_pool, pool, summaries, std::min(config_.top_k, entries) + 1, selection.banned);
  const ops::StoredKeys searched = layer_pool.keys.after(first);
  const at::Tensor summary_norms = summaries.to(at::kDouble).norm(2, -1).cpu();
  std::vector<HeadHits> all;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (const HeadHits* forced = forced_for(reader, layer, heads[h])) {
      all.push_back(*forced);
      continue;
    }
    const HeadRanking ranking{ranked, static_cast<std::int64_t>(h) * n, n};
    all.push_back({reader, layer, heads[h], behind(first, select_hits(candidates_of(ranking), selection, entries))});
    const std::vector<Cut> cuts = cuts_of(ranking, config_.anchor_count());
    const at::Tensor last_in = key_norms(searched, layer_pool.head_slot[h], ranked, cuts);
    const double* key_norm = last_in.const_data_ptr<double>();
    const double* summary_norm = summary_norms.const_data_ptr<double>() + ranking.first_row;
    near_ties += count_close(cuts, [&](std::size_t i) { return summary_norm[cuts[i].summary] * key_norm[i]; });
  }
  return all;
}

RetrievedPrefix Retriever::retrieve(const std::vector<at::Tensor>& queries, const RetrievalPool& pool,
                                    std::int64_t reader, c10::Device device) const {
  const at::NoGradGuard no_gradients;
  if (searches_on_device(queries, pool, reader)) return retrieve_on_device(queries, pool, reader, device);
  std::vector<HeadHits> hits;
  std::int64_t near_ties = 0;
  if (config_.retrieval_length > 0 && pool.entries() > pool.first_searched())
    for (int l = 0; l < model_.layers; ++l)
      if (config_.grouping.retrieves(l))
        for (HeadHits& head : search(l, queries[static_cast<std::size_t>(l)], pool, reader, near_ties))
          hits.push_back(std::move(head));
  RetrievedPrefix prefix = gather(std::move(hits), pool, device);
  prefix.near_ties = near_ties;
  return prefix;
}

SelectionRule Retriever::rule(std::int64_t sinks) const {
  return {config_.anchor_count(), config_.expand_before, config_.expand_after, config_.retrieval_length,
          counted_from(sinks, banned_)};
}

/// Where nothing is prescribed or banned, and the kernels take it.
bool Retriever::searches_on_device(const std::vector<at::Tensor>& queries, const RetrievalPool& pool,
                                   std::int64_t reader) const {
  const std::int64_t entries = pool.entries() - pool.first_searched();
  if (config_.retrieval_length == 0 || entries == 0 || !banned_.empty()) return false;
  const auto forced = forced_.lower_bound({reader, std::numeric_limits<int>::min(), std::numeric_limits<int>::min()});
  if (forced != forced_.end() && std::get<0>(forced->first) == reader) return false;
  for (int l = 0; l < model_.layers; ++l) {
    if (!config_.grouping.retrieves(l)) continue;
    const std::int64_t available = queries[static_cast<std::size_t>(l)].size(1), w = config_.summary_window;
    const std::int64_t summaries = (available >= w ? (available - w) / config_.summary_stride + 1 : 1) + 1;
    return !pool.layer(l).keys.device().is_cpu() &&
           ops::selects_on_device(summaries, config_.top_k, std::min(config_.retrieval_length, entries));
  }
  return false;
}

/// Launches every layer's search and gathering before it asks for any result.
RetrievedPrefix Retriever::retrieve_on_device(const std::vector<at::Tensor>& queries, const RetrievalPool& pool,
                                              std::int64_t reader, c10::Device device) const {
  const at::NoGradGuard no_gradients;
  const std::int64_t first = pool.first_searched();
  RetrievedPrefix prefix;
  prefix.layers.resize(static_cast<std::size_t>(model_.layers));
  std::vector<int> layers;
  std::vector<ops::DeviceSearch> searches;
  for (int l = 0; l < model_.layers; ++l) {
    if (!config_.grouping.retrieves(l)) continue;
    const LayerPool& layer_pool = pool.layer(l);
    const at::Tensor summaries = query_summaries(config_, queries[static_cast<std::size_t>(l)]);
    layers.push_back(l);
    searches.push_back(ops::search_on_device(layer_pool.keys.after(first).rows, pool.entries() - first,
                                             summaries.to(layer_pool.keys.device()), layer_pool.head_slot,
                                             config_.top_k, rule(first)));
    auto [keys, values] =
        ops::gather_prefix(layer_pool.keys, layer_pool.values, layer_pool.head_slot, searches.back().positions + first);
    prefix.layers[static_cast<std::size_t>(l)] = {keys.to(device), values.to(device)};
  }
  const std::vector<ops::FoundHits> found = ops::to_host(searches);
  for (std::size_t l = 0; l < found.size(); ++l) {
    const ops::FoundHits& layer = found[l];
    const std::vector<int>& heads = config_.grouping.long_heads(layers[l]);
    const auto n = static_cast<std::int64_t>(layer.summary_norms.size() / heads.size());
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const HeadRanking ranking{layer.ranked, static_cast<std::int64_t>(h) * n, n};
      prefix.hits.push_back({reader, layers[l], heads[h], behind(first, hits_of(layer, ranking, h, heads.size()))});
      const std::vector<Cut> cuts = cuts_of(ranking, config_.anchor_count());
      prefix.near_ties += count_close(cuts, [&](std::size_t i) {
        const auto summary = static_cast<std::size_t>(ranking.first_row + cuts[i].summary);
        return static_cast<double>(layer.summary_norms[summary]) * layer.key_norms[cuts[i].last_in];
      });
    }
  }
  return prefix;
}

RetrievedPrefix Retriever::gather(std::vector<HeadHits> hits, const RetrievalPool& pool, c10::Device device) const {
  const at::NoGradGuard no_gradients;
  RetrievedPrefix prefix;
  prefix.layers.resize(static_cast<std::size_t>(model_.layers));
  for (std::size_t first = 0, last; first < hits.size(); first = last) {
    const int layer = hits[first].layer;
    for (last = first; last < hits.size() && hits[last].layer == layer; ++last) continue;
    const std::span<const HeadHits> heads(hits.data() + first, last - first);
    const LayerPool& layer_pool = pool.layer(layer);
    const at::Tensor positions = positions_of(heads, pool);
    if (positions.size(1) == 0) continue;
    auto [keys, values] = ops::gather_prefix(layer_pool.keys, layer_pool.values, layer_pool.head_slot, positions);
    prefix.layers[static_cast<std::size_t>(layer)] = {keys.to(device), values.to(device)};
  }
  prefix.hits = std::move(hits);
  return prefix;
}

}  // namespace carryover
