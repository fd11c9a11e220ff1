// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <map>
#include <tuple>
#include <vector>

#include "engine/core/run/hit_selection.h"
#include "engine/core/run/hits.h"
#include "engine/method/retrieval_pool.h"

namespace carryover {

/// One layer of R_i: each long query head's own prefix. Detached. Keys unrotated.
struct LayerPrefix {
  at::Tensor keys, values;  ///< [H_long, P, d]; undefined where P = 0
};

/// R_i: the forward-only prefix (eq:forward, lem:nograd-retrieval) with where each slot came from.
struct RetrievedPrefix {
  std::vector<LayerPrefix> layers;  ///< [L]
  std::vector<HeadHits> hits;       ///< by layer and head; `segment` is the one that reads them
  std::int64_t near_ties = 0;       ///< cuts whose margin is under 1e-5·‖summary‖·‖key‖

  std::int64_t bytes() const;
};

/// Means of the queries at a segment's tail: windows of w at stride s, then the mean of the last t (app:retrieval, step
/// 1). queries: [heads, m', d] unrotated, the last min(L_q, m). Returns [heads, n, d] in max(fp32, dtype).
at::Tensor query_summaries(const SegmentConfig& config, const at::Tensor& queries);

/// ρ: from the tail queries of segment i and a pool that holds segments 1..i to R_i (app:retrieval). Nothing here is
/// differentiable. Thread: engine.
class Retriever {
 public:
  /// `forced` replays recorded hits by (segment, layer, head); heads without a record are searched, except at `banned`
  /// positions.
  Retriever(const SegmentConfig& config, const ModelConfig& model, const std::vector<HeadHits>& forced,
            std::vector<TokenRange> banned = {});

  /// queries[l]: [H_long, m', d] unrotated for retrieving layers. `reader`: index of the segment that will read R.
  /// Prefixes come out on `device`. Throws as gather().
  RetrievedPrefix retrieve(const std::vector<at::Tensor>& queries, const RetrievalPool& pool, std::int64_t reader,
                           c10::Device device) const;

  /// The prefix that holds these hits, by layer and head, every long head of a retrieving layer once. Throws
  /// EngineError{BadInput} where a position is not in the pool or is a sink's, or heads of a layer differ in number of
  /// hits.
  RetrievedPrefix gather(std::vector<HeadHits> hits, const RetrievalPool& pool, c10::Device device) const;

  /// The same by kernels that wait for nothing, all results fetched at the end: what retrieve() does with a pool on a
  /// GPU where nothing is forced or banned. The pool is not empty.
  RetrievedPrefix retrieve_on_device(const std::vector<at::Tensor>& queries, const RetrievalPool& pool,
                                     std::int64_t reader, c10::Device device) const;

 private:
  bool searches_on_device(const std::vector<at::Tensor>& queries, const RetrievalPool& pool, std::int64_t reader) const;
  SelectionRule rule(std::int64_t sinks) const;  ///< in positions behind the sinks
  std::vector<HeadHits> search(int layer, const at::Tensor& queries, const RetrievalPool& pool, std::int64_t reader,
                               std::int64_t& near_ties) const;
  const HeadHits* forced_for(std::int64_t reader, int layer, int head) const;

  SegmentConfig config_;
  ModelConfig model_;
  std::map<std::tuple<std::int64_t, int, int>, HeadHits> forced_;
  std::vector<TokenRange> banned_;
};

}  // namespace carryover
