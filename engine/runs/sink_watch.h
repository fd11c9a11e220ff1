// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>

#include "engine/config/segment_config.h"
#include "engine/method/forward_map.h"
#include "engine/runs/values/sinks.h"
#include "engine/runs/values/snapshot.h"

namespace carryover {

/// Measures where the attention sinks of each segment are (runs/values/sinks.h), one map per segment, while segments
/// run in one chunk each. It computes the scores of kSinkQueries queries per head, and nothing leaves the device before
/// the segment is done. Owner: a run. Thread: engine.
class SinkWatch {
 public:
  /// `most_weights`: number of attention weights held at a time, or those of one KV head where they are more. It
  /// changes no result.
  SinkWatch(const ModelConfig& model, const SegmentConfig& config, std::int64_t most_weights = std::int64_t{1} << 20);

  /// Begins a segment of `length` tokens that reads from `state`.
  void start(const PolicyState& state, std::int64_t length);
  void see(const AttentionSight& sight);  ///< takes each of the segment's layers
  Map take();                             ///< the segment's map, [L, kSinkColumns]

 private:
  enum Kind { Text, Carry, Segment, Largest, kKinds };
  void prepare(const at::Tensor& entering);  ///< allocates the segment's buffers
  /// `further`: true for a branch of the previous group's heads, to whose masses its own are added.
  void add(const AttentionSight& sight, const HeadGroup& group, bool further, const at::Tensor& largest);
  /// Says which of a prefix's first slots hold the text's first tokens and which the carry's: [heads or 1, slots, 2].
  at::Tensor prefix_kinds(const HeadGroup& group, int layer) const;
  /// The examined queries of a group and the keys that they see: [G, r, q, d], and keys [G, r or 1, n, d].
  struct Looked {
    at::Tensor queries, sink_queries, prefix, keys;  ///< sink_queries, prefix: undefined where there are none
    at::Tensor gate;                                 ///< [G, r, q], of a branch; else undefined
    std::int64_t first = 0;                          ///< offset in the group's G
  };
  /// Returns their attention on [prefix; segment], weighted by their gates, as the mean over q: [G, r, P + m].
  at::Tensor mean_weights(const Looked& looked, const HeadGroup& group);
  /// Returns −inf where a query doesn't see a key because of its group's window or index, else 0: [r·q, P + m] or [G,
  /// r·q, P + m].
  at::Tensor unseen(const HeadGroup& group, const Looked& looked, std::int64_t before) const;
  /// Returns [r·queries, m]: −inf where a key is ahead of the query, else 0.
  const at::Tensor& future(std::int64_t r);
  float counts_as(Kind kind, std::int64_t slot, const HeadGroup& group, const HeadHits* hits) const;
  std::int64_t counted_slots(const HeadGroup& group) const;

  ModelConfig model_;
  std::int64_t text_tokens_;  ///< number of tokens that count as the text's first
  std::int64_t most_weights_;
  const PolicyState* state_ = nullptr;  ///< the state that the segment reads from
  std::int64_t length_ = 0;
  at::Tensor rows_;                             ///< the queries that are examined
  std::map<std::int64_t, at::Tensor> futures_;  ///< by r
  at::Tensor norms_;                            ///< [L, m]
  at::Tensor masses_;                           ///< [L, H, 4]
};

}  // namespace carryover
