// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "engine/config/head_reads.h"
#include "engine/method/position_scores.h"
#include "engine/method/retrieval_pool.h"
#include "engine/runs/values/hit_selection.h"
#include "engine/runs/values/hits.h"

namespace carryover {

/// The retrieved keys and values that the heads of one kind read in one layer. Rows are those of
/// HeadReads::prefix_kv_heads(). Detached. Keys are unrotated.
struct PrefixRows {
  at::Tensor keys, values;  ///< [rows, P, d]; undefined where P = 0
};

/// One layer of R_i.
struct LayerPrefix {
  PrefixRows local, far;  ///< for the local heads and for the long-range ones
  PrefixRows& of(bool long_range) { return long_range ? far : local; }
  const PrefixRows& of(bool long_range) const { return long_range ? far : local; }
};

/// R_i: the forward-only prefix (eq:forward, lem:nograd-retrieval), and where each slot came from.
struct RetrievedPrefix {
  std::vector<LayerPrefix> layers;  ///< [L]
  std::vector<HeadHits> hits;       ///< by layer and head, or one shared list; `segment` is the one that reads them
  std::int64_t near_ties = 0;       ///< number of cuts whose margin is within fp32 rounding error
};

/// A pool to search, and the segment that will read the result.
struct SearchedPool {
  const RetrievalPool& pool;
  std::int64_t reader = 0;   ///< index of the segment that will read R
  std::int64_t carried = 0;  ///< number of tokens of the carry that it reads, which are the pool's last ones
};

/// ρ: maps the tail queries of segment i and a pool that holds segments 1..i to R_i (app:retrieval; shared search,
/// centred scores and windows: ADR 0028). Nothing here is differentiable. Thread: engine.
class Retriever {
 public:
  /// `forced` holds recorded hits to replay, by (segment, layer, head), or by segment if they are shared. Heads without
  /// a record search, but not at `banned` positions.
  Retriever(const SegmentConfig& config, const ModelConfig& model, const std::vector<HeadHits>& forced,
            std::vector<TokenRange> banned = {});

  /// Searches and gathers. queries[l]: [heads of search_heads(), m', d], unrotated; undefined if a layer has none. The
  /// prefixes are on `device`. Throws as gather() does.
  RetrievedPrefix retrieve(const std::vector<at::Tensor>& queries, const SearchedPool& from, c10::Device device) const;

  /// Returns the prefix that holds these hits: one list for each reader, or the one list of a shared search. Throws
  /// EngineError{BadInput} if a position is not in the pool or is a sink's, if heads of one kind in a layer differ in
  /// the number of hits, or if some of them have none.
  RetrievedPrefix gather(std::vector<HeadHits> hits, const RetrievalPool& pool, c10::Device device) const;

  /// Returns the entries of the pool that the search for this list ranks; an oracle takes its positions from them, too.
  /// They are those behind the sinks, without the carried ones if the list's readers read the carry.
  SearchedEntries searched(const SearchedPool& from, const HeadHits& list) const;

  /// Computes the scores that a shared search adds up: calls `visit` for each searcher, by layer and head, with its
  /// z-scores of the searched entries. Returns these entries. Queries are as for retrieve().
  SearchedEntries visit_searchers(const std::vector<at::Tensor>& queries, const SearchedPool& from,
                                  const std::function<void(HeadRef head, std::span<const double> scores)>& visit) const;

  /// Does what retrieve() does with a pool on a GPU if nothing is forced or banned: the paper's search. Its kernels are
  /// launched without waiting for results, which are all fetched at the end. The pool must not be empty.
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
  SelectionRule rule(std::int64_t sinks) const;  ///< positions count from the first one behind the sinks
  SearchedEntries searched(const SearchedPool& from, bool skips_carry) const;
  /// Runs the paper's search for one kind of heads: finds the best keys of each summary and expands them.
  std::vector<HeadHits> search_anchors(int layer, const HeadReads& kind, const at::Tensor& queries,
                                       const SearchedPool& from, std::int64_t& near_ties) const;
  /// Searches for one kind of heads by a score for each position.
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
