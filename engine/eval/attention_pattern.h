// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "engine/core/run/inspection.h"
#include "engine/method/forward_map.h"

namespace carryover {

/// What a query head attends to in one layer: the attention that ops::prefix_attention never writes down, a block of
/// queries at a time. Of a head with branches, their sum by its gates, so that weights times values are what it puts
/// out; its prefix is core tokens, and behind them the tokens that all other branches see some of. Borrows the sight.
/// Thread: engine.
class AttentionPattern {
 public:
  AttentionPattern(const AttentionSight& sight, int head);

  std::int64_t prefix_length() const { return prefix_length_; }
  PrefixSpan span(PrefixPart part) const;
  /// Which part a slot is of; nothing: it holds a token of the segment itself, as copies and core tokens may.
  std::optional<PrefixPart> part(std::int64_t slot, std::int64_t first_token) const;
  /// As method/attention_policy's slot_position().
  std::int64_t position(std::int64_t slot, const HeadHits* hits, std::int64_t first_token) const;
  std::int64_t queries() const { return queries_.size(0); }
  bool reads_retrieved() const { return span(PrefixPart::Retrieved).length > 0; }
  const at::Tensor& prefix_values() const { return prefix_values_; }  ///< [P, d]; undefined where P = 0
  const at::Tensor& values() const { return values_; }                ///< [n, d]

  /// softmax(q·kᵀ/√d) of queries [first, first + count) over [prefix; segment]: [count, P + n] in max(fp32, dtype).
  at::Tensor weights(std::int64_t first, std::int64_t count) const;
  /// The same without the keys that none of these queries sees, which are the last ones.
  at::Tensor visible_weights(std::int64_t first, std::int64_t count) const;

 private:
  struct Branch {
    const HeadGroup* group;    ///< of the sight
    at::Tensor keys;           ///< [slots + n, d]
    at::Tensor prefix_values;  ///< [slots, d]; undefined where it has none
    at::Tensor sink_queries;   ///< undefined: as queries_
    at::Tensor gate;           ///< [m]; undefined: there is no other branch
    std::int64_t index_row;    ///< of the group's index, where it has one
    std::int64_t first = 0;    ///< where its prefix stands in the head's

    std::int64_t slots() const { return prefix_values.defined() ? prefix_values.size(0) : 0; }
    bool has_cores() const { return group->span(PrefixPart::Core).length > 0; }
  };
  Branch branch_of(const AttentionSight& sight, const HeadGroup& group, int head) const;
  void join_prefixes();
  const Branch& branch_at(std::int64_t slot) const;
  at::Tensor weights_of(const Branch& branch, std::int64_t first, std::int64_t count) const;

  at::Tensor queries_, values_, prefix_values_;
  std::int64_t prefix_length_ = 0;
  std::vector<Branch> branches_;  ///< one or more
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
