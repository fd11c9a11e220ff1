// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/retriever.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/base/error.h"
#include "engine/method/head_select.h"
#include "engine/method/query_summaries.h"
#include "engine/ops/cuda/device_search.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/retrieval_ops.h"
#include "engine/runs/values/window_selection.h"
#include "engine/runtime/cuda_runtime.h"

namespace carryover {

namespace {

constexpr double kCloseMargin = 1e-5;  // times ‖summary‖·‖key‖: a margin that fp32 rounding can reverse

/// The ranking for one head's summaries: rows of k + 1 entries, of which the last only shows how close the cut was.
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

/// The place where a ranking was cut, with the margin between the last selected entry and the next.
struct Cut {
  double gap;
  std::int64_t summary;  ///< index among the head's summaries
  std::size_t last_in;   ///< place of the last selected entry in the ranking
};

/// Returns one head's cuts: for each summary between its k-th entry and the next, and between the A-th anchor and the
/// next in the union of all summaries.
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
  std::sort(order.begin(), order.end());  // puts each index's best score first, of equal scores the first summary's
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

/// Counts the cuts whose margin is within rounding error. norms(i): ‖summary‖·‖key‖ of the last selected entry of cut
/// i.
template <typename Norms>
std::int64_t count_close(const std::vector<Cut>& cuts, const Norms& norms) {
  std::int64_t close = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) close += cuts[i].gap < kCloseMargin * norms(i);
  return close;
}

/// Returns the slots of head `h` with what the device found for them.
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

/// Returns the ranges as counted from position `first`.
std::vector<TokenRange> counted_from(std::int64_t first, std::vector<TokenRange> ranges) {
  for (TokenRange& range : ranges) range = {range.first - first, range.last - first};
  return ranges;
}

/// Converts hits that are counted from the first entry behind the sinks to absolute positions.
std::vector<Hit> behind(std::int64_t sinks, std::vector<Hit> hits) {
  for (Hit& hit : hits) {
    hit.position += sinks;
    if (hit.kind != HitKind::Padding) hit.anchor += sinks;
  }
  return hits;
}

/// Returns for each cut the norm ‖key‖ of the last selected entry, an entry of slot `slot`.
at::Tensor key_norms(const ops::StoredKeys& keys, std::int64_t slot, const ops::RankedEntries& ranked,
                     const std::vector<Cut>& cuts) {
  std::vector<std::int64_t> indices;
  for (const Cut& cut : cuts) indices.push_back(ranked.indices[cut.last_in]);
  const at::Tensor rows = keys.slot(slot).select(at::tensor(indices, at::kLong)).upcast(0, 0, std::ssize(indices));
  return rows.to(at::kDouble).norm(2, -1).cpu();
}

[[noreturn]] void refuse_hits(const HeadHits& hits, const std::string& problem) {
  throw EngineError(Fault::BadInput, "forced hits",
                    "segment " + std::to_string(hits.segment) + ", layer " + std::to_string(hits.layer) + ", head " +
                        std::to_string(hits.head) + " does not fit: " + problem,
                    "Record the hits on the same text with the same configuration.");
}

/// Returns the positions of the lists' hits, [rows, P], with a row for each list.
at::Tensor positions_of(const std::vector<const HeadHits*>& lists, const RetrievalPool& pool) {
  const std::int64_t entries = pool.entries(), first = pool.first_searched();
  const std::size_t length = lists[0]->hits.size();
  at::Tensor positions =
      at::empty({static_cast<std::int64_t>(lists.size()), static_cast<std::int64_t>(length)}, at::kLong);
  auto* out = positions.mutable_data_ptr<std::int64_t>();
  for (const HeadHits* list : lists) {
    const std::vector<Hit>& hits = list->hits;
    const bool within = hits.empty() || (hits.front().position >= first && hits.back().position < entries);
    if (hits.size() != length || !within)
      refuse_hits(*list, "positions " + std::to_string(first) + " to " + std::to_string(entries - 1) +
                             " can be read and the layer's other heads read " + std::to_string(length));
    for (const Hit& hit : hits) *out++ = hit.position;
  }
  return positions;
}

/// Ranks the top k of the searched entries that are not banned. Indices count from the first searched entry.
ops::RankedEntries rank(const ops::StoredKeys& searched, std::int64_t entries, const std::vector<std::int32_t>& slots,
                        const at::Tensor& summaries, std::int64_t k, const std::vector<TokenRange>& banned) {
  if (banned.empty()) return ops::pool_topk(searched, entries, summaries, slots, k);
  std::vector<std::int64_t> allowed;
  for (std::int64_t position = 0; position < entries; ++position)
    if (std::none_of(banned.begin(), banned.end(), [&](const TokenRange& range) { return range.contains(position); }))
      allowed.push_back(position);
  const ops::StoredKeys keys = searched.select(at::tensor(allowed, at::kLong));
  auto ranked = ops::pool_topk(keys, std::ssize(allowed), summaries, slots, k);
  for (std::int64_t& index : ranked.indices)
    if (index >= 0) index = allowed[static_cast<std::size_t>(index)];
  return ranked;
}

/// Returns scores that a search can use. Throws EngineError{BadInput} if a score is NaN: one value that is not finite
/// makes all z-scores NaN.
std::vector<double> usable(std::vector<double> scores) {
  if (std::ranges::any_of(scores, [](double score) { return std::isnan(score); }))
    throw EngineError(Fault::BadInput, "the search", "has keys or queries whose values overflow",
                      "Use --dtype fp32, or another model.");
  return scores;
}

/// Sorts lists by layer and head.
void in_order(std::vector<HeadHits>& hits) {
  std::ranges::stable_sort(hits, {}, [](const HeadHits& list) { return std::pair(list.layer, list.head); });
}

}  // namespace

Retriever::Retriever(const SegmentConfig& config, const ModelConfig& model, const std::vector<HeadHits>& forced,
                     std::vector<TokenRange> banned)
    : config_(config), model_(model), banned_(std::move(banned)) {
  for (const HeadHits& record : forced) {
    if (record.shared)
      forced_shared_[record.segment] = record;
    else
      forced_[{record.segment, record.layer, record.head}] = record;
  }
}

const HeadHits* Retriever::forced_for(std::int64_t reader, int layer, int head) const {
  const auto found = forced_.find({reader, layer, head});
  return found == forced_.end() ? nullptr : &found->second;
}

SelectionRule Retriever::rule(std::int64_t sinks) const {
  return {config_.anchor_count(), config_.expand_before, config_.expand_after, config_.retrieval_length,
          counted_from(sinks, banned_)};
}

SearchedEntries Retriever::searched(const SearchedPool& from, bool skips_carry) const {
  const std::int64_t first = from.pool.first_searched();
  return {first, std::max<std::int64_t>(0, from.pool.entries() - first - (skips_carry ? from.carried : 0))};
}

SearchedEntries Retriever::searched(const SearchedPool& from, const HeadHits& list) const {
  return searched(from, search_skips_carry(config_, model_, list));
}

std::vector<HeadHits> Retriever::search_anchors(int layer, const HeadReads& kind, const at::Tensor& queries,
                                                const SearchedPool& from, std::int64_t& near_ties) const {
  const LayerPool& layer_pool = from.pool.layer(layer);
  const at::Tensor summaries = query_summaries(config_, queries).to(layer_pool.keys.device());
  const std::int64_t n = summaries.size(1);
  const auto [first, entries] = searched(from, search_skips_carry(config_, model_, kind));
  const SelectionRule selection = rule(first);
  const ops::StoredKeys keys = layer_pool.keys.after(first);
  const std::vector<std::int32_t> slots = layer_pool.slots_of(kind.prefix_kv_heads(model_));
  const auto ranked = rank(keys, entries, slots, summaries, std::min(config_.top_k, entries) + 1, selection.banned);
  const at::Tensor summary_norms = summaries.to(at::kDouble).norm(2, -1).cpu();
  std::vector<HeadHits> all;
  for (std::size_t h = 0; h < kind.heads.size(); ++h) {
    if (const HeadHits* forced = forced_for(from.reader, layer, kind.heads[h])) {
      all.push_back(*forced);
      continue;
    }
    const HeadRanking ranking{ranked, static_cast<std::int64_t>(h) * n, n};
    all.push_back(
        {from.reader, layer, kind.heads[h], behind(first, select_hits(candidates_of(ranking), selection, entries))});
    const std::vector<Cut> cuts = cuts_of(ranking, config_.anchor_count());
    const at::Tensor last_in = key_norms(keys, slots[h], ranked, cuts);
    const double* key_norm = last_in.const_data_ptr<double>();
    const double* summary_norm = summary_norms.const_data_ptr<double>() + ranking.first_row;
    near_ties += count_close(cuts, [&](std::size_t i) { return summary_norm[cuts[i].summary] * key_norm[i]; });
  }
  return all;
}

std::vector<Hit> Retriever::choose(std::span<const double> scores, SearchedEntries among,
                                   std::int64_t& near_ties) const {
  const SelectionRule selection = rule(among.first);
  if (config_.retrieve == RetrieveBy::Windows) {
    WindowSelection windows = select_windows(scores, {config_.window_length, selection.length, selection.banned});
    near_ties += windows.gap < kCloseMargin * std::max(1.0, std::abs(windows.last));
    return behind(among.first, std::move(windows.hits));
  }
  const PositionRanking best = best_positions(scores, selection.anchors, selection.banned);
  near_ties += best.gap < kCloseMargin * std::max(1.0, std::abs(best.last));
  return behind(among.first, select_hits(best.candidates, selection, among.count));
}

std::vector<HeadHits> Retriever::search_positions(int layer, const HeadReads& kind, const at::Tensor& queries,
                                                  const SearchedPool& from, std::int64_t& near_ties) const {
  const LayerPool& layer_pool = from.pool.layer(layer);
  const SearchedEntries among = searched(from, search_skips_carry(config_, model_, kind));
  const std::vector<std::int32_t> slots = layer_pool.slots_of(kind.prefix_kv_heads(model_));
  std::vector<HeadHits> all;
  for (std::size_t h = 0; h < kind.heads.size(); ++h) {
    if (const HeadHits* forced = forced_for(from.reader, layer, kind.heads[h])) {
      all.push_back(*forced);
      continue;
    }
    std::vector<double> scores =
        position_scores(config_, layer_pool, slots[h], queries[static_cast<std::int64_t>(h)], among);
    if (config_.search_scores == SearchScores::Centred) scores = z_scores(scores);
    all.push_back({from.reader, layer, kind.heads[h], choose(usable(std::move(scores)), among, near_ties)});
  }
  return all;
}

SearchedEntries Retriever::visit_searchers(
    const std::vector<at::Tensor>& queries, const SearchedPool& from,
    const std::function<void(HeadRef head, std::span<const double> scores)>& visit) const {
  const SearchedEntries among = searched(from, shared_search_skips_carry(config_, model_));
  if (among.count == 0) return among;
  for (int layer = 0; layer < model_.layers; ++layer) {
    const std::vector<int> heads = search_heads(config_, model_, layer);
    if (heads.empty()) continue;
    const LayerPool& layer_pool = from.pool.layer(layer);
    const std::vector<std::int32_t> slots = layer_pool.slots_of(kv_heads_of_each(heads, model_));
    for (std::size_t h = 0; h < heads.size(); ++h)
      visit({layer, heads[h]}, usable(z_scores(position_scores(
                                   config_, layer_pool, slots[h],
                                   queries[static_cast<std::size_t>(layer)][static_cast<std::int64_t>(h)], among))));
  }
  return among;
}

HeadHits Retriever::search_shared(const std::vector<at::Tensor>& queries, const SearchedPool& from,
                                  std::int64_t& near_ties) const {
  if (const auto forced = forced_shared_.find(from.reader); forced != forced_shared_.end()) return forced->second;
  const HeadRef named = config_.search_heads.front();
  HeadHits shared{from.reader, named.layer, named.head, {}, true};
  std::vector<double> sum;
  const SearchedEntries among = visit_searchers(queries, from, [&](HeadRef, std::span<const double> scores) {
    sum.resize(scores.size(), 0.0);
    for (std::size_t i = 0; i < scores.size(); ++i) sum[i] += scores[i];
  });
  if (among.count > 0) shared.hits = choose(sum, among, near_ties);
  return shared;
}

RetrievedPrefix Retriever::retrieve(const std::vector<at::Tensor>& queries, const SearchedPool& from,
                                    c10::Device device) const {
  const at::NoGradGuard no_gradients;
  if (searches_on_device(queries, from)) return retrieve_on_device(queries, from, device);
  std::vector<HeadHits> hits;
  std::int64_t near_ties = 0;
  if (config_.search == SearchBy::Shared) {
    if (retrieves(config_, model_)) hits.push_back(search_shared(queries, from, near_ties));
    if (!hits.empty() && hits.front().hits.empty()) hits.clear();
  } else {
    each_reader([&](int layer, const HeadReads& kind) {
      if (searched(from, search_skips_carry(config_, model_, kind)).count == 0) return;
      const at::Tensor own = select_heads(queries[static_cast<std::size_t>(layer)],
                                          places_of(kind.heads, search_heads(config_, model_, layer)));
      for (HeadHits& head : is_paper_search(config_) ? search_anchors(layer, kind, own, from, near_ties)
                                                     : search_positions(layer, kind, own, from, near_ties))
        hits.push_back(std::move(head));
    });
  }
  RetrievedPrefix prefix = gather(std::move(hits), from.pool, device);
  prefix.near_ties = near_ties;
  return prefix;
}

/// Returns true if no hits are forced for this segment, nothing is banned, and the kernels can do the search.
bool Retriever::searches_on_device(const std::vector<at::Tensor>& queries, const SearchedPool& from) const {
  if (!is_paper_search(config_) || !banned_.empty()) return false;
  const auto forced =
      forced_.lower_bound({from.reader, std::numeric_limits<int>::min(), std::numeric_limits<int>::min()});
  if (forced != forced_.end() && std::get<0>(forced->first) == from.reader) return false;
  bool searches = false, all = true;
  each_reader([&](int layer, const HeadReads& kind) {
    const std::int64_t entries = searched(from, search_skips_carry(config_, model_, kind)).count;
    const std::int64_t available = queries[static_cast<std::size_t>(layer)].size(1), w = config_.summary_window;
    const std::int64_t summaries = (available >= w ? (available - w) / config_.summary_stride + 1 : 1) + 1;
    searches = true;
    all = all && entries > 0 && ops::takes_kernels(from.pool.layer(layer).keys.device()) &&
          ops::selects_on_device(summaries, config_.top_k, std::min(config_.retrieval_length, entries));
  });
  return searches && all;
}

/// Launches every search and gather before it waits for any result.
RetrievedPrefix Retriever::retrieve_on_device(const std::vector<at::Tensor>& queries, const SearchedPool& from,
                                              c10::Device device) const {
  const at::NoGradGuard no_gradients;
  RetrievedPrefix prefix;
  prefix.layers.resize(static_cast<std::size_t>(model_.layers));
  std::vector<std::pair<int, HeadReads>> readers;
  std::vector<ops::DeviceSearch> searches;
  each_reader([&](int layer, const HeadReads& kind) {
    const LayerPool& layer_pool = from.pool.layer(layer);
    const auto [first, entries] = searched(from, search_skips_carry(config_, model_, kind));
    const std::vector<std::int32_t> slots = layer_pool.slots_of(kind.prefix_kv_heads(model_));
    const at::Tensor own = select_heads(queries[static_cast<std::size_t>(layer)],
                                        places_of(kind.heads, search_heads(config_, model_, layer)));
    readers.emplace_back(layer, kind);
    searches.push_back(ops::search_on_device(layer_pool.keys.after(first).rows, entries,
                                             query_summaries(config_, own).to(layer_pool.keys.device()), slots,
                                             config_.top_k, rule(first)));
    const at::Tensor& found = searches.back().positions;
    auto [keys, values] =
        ops::gather_prefix(layer_pool.keys, layer_pool.values, slots, first > 0 ? found + first : found);
    prefix.layers[static_cast<std::size_t>(layer)].of(kind.long_range) = {keys.to(device), values.to(device)};
  });
  const std::vector<ops::FoundHits> found = ops::to_host(searches);
  const std::int64_t first = from.pool.first_searched();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ops::FoundHits& layer = found[i];
    const std::vector<int>& heads = readers[i].second.heads;
    const auto n = static_cast<std::int64_t>(layer.summary_norms.size() / heads.size());
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const HeadRanking ranking{layer.ranked, static_cast<std::int64_t>(h) * n, n};
      prefix.hits.push_back(
          {from.reader, readers[i].first, heads[h], behind(first, hits_of(layer, ranking, h, heads.size()))});
      const std::vector<Cut> cuts = cuts_of(ranking, config_.anchor_count());
      prefix.near_ties += count_close(cuts, [&](std::size_t c) {
        const auto summary = static_cast<std::size_t>(ranking.first_row + cuts[c].summary);
        return static_cast<double>(layer.summary_norms[summary]) * layer.key_norms[cuts[c].last_in];
      });
    }
  }
  in_order(prefix.hits);
  return prefix;
}

std::vector<const HeadHits*> Retriever::lists_of(int layer, const HeadReads& kind,
                                                 const std::vector<HeadHits>& hits) const {
  std::vector<const HeadHits*> lists;
  if (!kind.per_query_head) {
    if (!hits.empty()) lists.assign(kind.prefix_kv_heads(model_).size(), &hits.front());
    return lists;
  }
  for (const int head : kind.heads)
    if (const HeadHits* list = find_hits(hits, layer, head)) lists.push_back(list);
  if (!lists.empty() && lists.size() < kind.heads.size())
    refuse_hits(*lists.front(), "other heads of the layer have none");
  return lists;
}

RetrievedPrefix Retriever::gather(std::vector<HeadHits> hits, const RetrievalPool& pool, c10::Device device) const {
  const at::NoGradGuard no_gradients;
  RetrievedPrefix prefix;
  prefix.layers.resize(static_cast<std::size_t>(model_.layers));
  if (config_.search == SearchBy::Shared && !hits.empty() && (hits.size() > 1 || !hits.front().shared))
    refuse_hits(hits.front(), "the search is shared, and its readers read one list");
  in_order(hits);
  each_reader([&](int layer, const HeadReads& kind) {
    const std::vector<const HeadHits*> lists = lists_of(layer, kind, hits);
    if (lists.empty() || lists.front()->hits.empty()) {
      if (!lists.empty()) positions_of(lists, pool);  // all of them are empty
      return;
    }
    const LayerPool& layer_pool = pool.layer(layer);
    auto [keys, values] =
        ops::gather_prefix(layer_pool.keys, layer_pool.values, layer_pool.slots_of(kind.prefix_kv_heads(model_)),
                           positions_of(lists, pool));
    prefix.layers[static_cast<std::size_t>(layer)].of(kind.long_range) = {keys.to(device), values.to(device)};
  });
  prefix.hits = std::move(hits);
  return prefix;
}

}  // namespace carryover
