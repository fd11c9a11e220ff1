// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>

#include "engine/core/run/inspection.h"
#include "engine/method/forward_map.h"

namespace carryover {

/// What a query head attends to in one layer: the attention that ops::prefix_attention never writes down, a block of
/// queries at a time. Borrows the sight. Thread: engine.
class AttentionPattern {
 public:
  AttentionPattern(const AttentionSight& sight, int head);

  std::int64_t prefix_length() const { return prefix_length_; }
  PrefixSpan span(PrefixPart part) const { return group_->span(part); }
  /// As method/attention_policy's slot_position().
  std::int64_t position(std::int64_t slot, const HeadHits* hits, std::int64_t first_token) const {
    return slot_position(*group_, slot, hits, first_token);
  }
  std::int64_t queries() const { return queries_.size(0); }
  bool reads_retrieved() const { return span(PrefixPart::Retrieved).length > 0; }
  const at::Tensor& prefix_values() const { return prefix_values_; }  ///< [P, d]; undefined where P = 0
  const at::Tensor& values() const { return values_; }                ///< [n, d]

  /// softmax(q·kᵀ/√d) of queries [first, first + count) over [prefix; segment]: [count, P + n] in max(fp32, dtype).
  at::Tensor weights(std::int64_t first, std::int64_t count) const;
  /// The same without the keys that none of these queries sees, which are the last ones.
  at::Tensor visible_weights(std::int64_t first, std::int64_t count) const;

 private:
  at::Tensor queries_, keys_, values_, prefix_values_;  ///< keys_: [P + n, d]
  std::int64_t prefix_length_ = 0;
  at::Tensor sink_queries_;           ///< undefined: as queries_
  const HeadGroup* group_ = nullptr;  ///< of the sight
  std::int64_t index_row_ = 0;        ///< of the group's index, where it has one
};

/// A head's attention as a map of at most `rows` × `columns`.
AttentionMap attention_map(const AttentionPattern& attention, HeadRef head, std::int64_t rows, std::int64_t columns);

/// [P + n] fp64 on the CPU: mean over queries of a head's attention on each key.
at::Tensor mean_attention(const AttentionPattern& attention);

/// Over pairs, one or more, of a segment that runs in one chunk: the mean attention on the key, and the share of pairs
/// where no other key of prefix and segment has more.
struct PairAttention {
  double mass = 0, top = 0;
};
PairAttention attend_to_pairs(const AttentionPattern& attention, const std::vector<AttentionPair>& pairs);

}  // namespace carryover
