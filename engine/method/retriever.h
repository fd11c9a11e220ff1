// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "engine/core/config/head_reads.h"
#include "engine/core/run/hit_selection.h"
#include "engine/core/run/hits.h"
#include "engine/method/position_scores.h"
#include "engine/method/retrieval_pool.h"

namespace carryover {

/// What the heads of one kind read of one layer: rows as HeadReads::prefix_kv_heads(). Detached. Keys unrotated.
struct PrefixRows {
  at::Tensor keys, values;  ///< [rows, P, d]; undefined where P = 0
};

/// One layer of R_i.
struct LayerPrefix {
  PrefixRows local, far;  ///< of the local heads, and of the long ones
  PrefixRows& of(bool long_range) { return long_range ? far : local; }
  const PrefixRows& of(bool long_range) const { return long_range ? far : local; }
};

/// R_i: the forward-only prefix (eq:forward, lem:nograd-retrieval) with where each slot came from.
struct RetrievedPrefix {
  std::vector<LayerPrefix> layers;  ///< [L]
  std::vector<HeadHits> hits;       ///< by layer and head, or the shared one; `segment` is the one that reads them
  std::int64_t near_ties = 0;       ///< cuts whose margin is within fp32 rounding's reach
};

/// What is searched, and for which segment.
struct SearchedPool {
  const RetrievalPool& pool;
  std::int64_t reader = 0;   ///< index of the segment that will read R
  std::int64_t carried = 0;  ///< tokens of the carry that it reads, the pool's last ones
};

/// ρ: from the tail queries of segment i and a pool that holds segments 1..i to R_i (app:retrieval; shared search,
/// centred scores and windows: ADR 0028). Nothing here is differentiable. Thread: engine.
class Retriever {
 public:
  /// `forced` replays recorded hits by (segment, layer, head), or by segment where they are shared; heads without a
  /// record are searched, except at `banned` positions.
  Retriever(const SegmentConfig& config, const ModelConfig& model, const std::vector<HeadHits>& forced,
            std::vector<TokenRange> banned = {});

  /// queries[l]: [heads of search_heads(), m', d] unrotated; undefined where a layer has none. Prefixes come out on
  /// `device`. Throws as gather().
  RetrievedPrefix retrieve(const std::vector<at::Tensor>& queries, const SearchedPool& from, c10::Device device) const;

  /// The prefix that holds these hits: of every reader once, or the one list of a shared search. Throws
  /// EngineError{BadInput} where a position is not in the pool or is a sink's, where heads of one kind in a layer
  /// differ in number of hits, and where some of them have none.
  RetrievedPrefix gather(std::vector<HeadHits> hits, const RetrievalPool& pool, c10::Device device) const;

  /// The entries of the pool that the search for this list ranks, of which an oracle takes its positions too: those
  /// behind the sinks, without the carried ones where its readers read the carry.
  SearchedEntries searched(const SearchedPool& from, const HeadHits& list) const;

  /// What a shared search adds up: calls `visit` with each searcher, by layer and head, and its z-scores of the entries
  /// that are searched. Returns those. Queries as for retrieve().
  SearchedEntries visit_searchers(const std::vector<at::Tensor>& queries, const SearchedPool& from,
                                  const std::function<void(HeadRef head, std::span<const double> scores)>& visit) const;

  /// The paper's search by kernels that wait for nothing, all results fetched at the end: what retrieve() does with a
  /// pool on a GPU where nothing is forced or banned. The pool is not empty.
  RetrievedPrefix retrieve_on_device(const std::vector<at::Tensor>& queries, const SearchedPool& from,
                                     c10::Device device) const;

 private:
  template <typename Visit>
  void each_reader(Visit visit) const {
    for (int layer = 0; layer < model_.layers; ++layer)
      for (const HeadReads& kind : head_reads(config_, model_, layer))
        if (kind.read(PrefixPart::Retrieved)) visit(layer, kind);
  }
  bool searches_on_device(const std::vector<at::Tensor>& queries, const SearchedPool& from) const;
  SelectionRule rule(std::int64_t sinks) const;  ///< in positions behind the sinks
  SearchedEntries searched(const SearchedPool& from, bool skips_carry) const;
  /// The paper's search of one kind of heads: the best keys of each summary, expanded.
  std::vector<HeadHits> search_anchors(int layer, const HeadReads& kind, const at::Tensor& queries,
                                       const SearchedPool& from, std::int64_t& near_ties) const;
  /// The same by a score for each position.
  std::vector<HeadHits> search_positions(int layer, const HeadReads& kind, const at::Tensor& queries,
                                         const SearchedPool& from, std::int64_t& near_ties) const;
  HeadHits search_shared(const std::vector<at::Tensor>& queries, const SearchedPool& from,
                         std::int64_t& near_ties) const;
  std::vector<Hit> choose(std::span<const double> scores, SearchedEntries among, std::int64_t& near_ties) const;
  std::vector<const HeadHits*> lists_of(int layer, const HeadReads& kind, const std::vector<HeadHits>& hits) const;
  const HeadHits* forced_for(std::int64_t reader, int layer, int head) const;

  SegmentConfig config_;
  ModelConfig model_;
  std::map<std::tuple<std::int64_t, int, int>, HeadHits> forced_;
  std::map<std::int64_t, HeadHits> forced_shared_;
  std::vector<TokenRange> banned_;
};

}  // namespace carryover
