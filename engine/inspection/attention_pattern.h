// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "engine/method/forward_map.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// Computes the attention of one query head in one layer, which ops::prefix_attention never writes down, a block of
/// queries at a time. For a head with branches it is their sum weighted by their gates, so that weights times values
/// are the head's output; the prefix then has the core tokens first, and behind them the tokens that the other branches
/// see. Borrows the sight. Thread: engine.
class AttentionPattern {
 public:
  AttentionPattern(const AttentionSight& sight, int head);

  std::int64_t prefix_length() const { return prefix_length_; }
  PrefixSpan span(PrefixPart part) const;
  /// Returns the part that a slot belongs to, or nothing where it holds a token of the segment itself, as copies and
  /// core tokens may.
  std::optional<PrefixPart> part(std::int64_t slot, std::int64_t first_token) const;
  /// Returns what slot_position() (method/attention_policy.h) does.
  std::int64_t position(std::int64_t slot, const HeadHits* hits, std::int64_t first_token) const;
  std::int64_t queries() const { return queries_.size(0); }
  bool reads_retrieved() const { return span(PrefixPart::Retrieved).length > 0; }
  const at::Tensor& prefix_values() const { return prefix_values_; }  ///< [P, d]; undefined where P = 0
  const at::Tensor& values() const { return values_; }                ///< [n, d]

  /// Returns softmax(q·kᵀ/√d), of scores that are capped where the model's are, of queries [first, first + count) over
  /// [prefix; segment]: [count, P + n] in max(fp32, dtype).
  at::Tensor weights(std::int64_t first, std::int64_t count) const;
  /// Returns the same without the last keys, which none of these queries sees.
  at::Tensor visible_weights(std::int64_t first, std::int64_t count) const;

 private:
  struct Branch {
    const HeadGroup* group;    ///< of the sight
    at::Tensor keys;           ///< [slots + n, d]
    at::Tensor prefix_values;  ///< [slots, d]; undefined where it has none
    at::Tensor sink_queries;   ///< undefined: queries_ are used
    at::Tensor gate;           ///< [m]; undefined: the only branch
    std::int64_t index_row;    ///< of the group's index, where it has one
    std::int64_t first = 0;    ///< first slot of its prefix in the head's prefix

    std::int64_t slots() const { return prefix_values.defined() ? prefix_values.size(0) : 0; }
    bool has_cores() const { return group->span(PrefixPart::Core).length > 0; }
  };
  Branch branch_of(const AttentionSight& sight, const HeadGroup& group, int head) const;
  void join_prefixes();
  const Branch& branch_at(std::int64_t slot) const;
  at::Tensor weights_of(const Branch& branch, std::int64_t first, std::int64_t count) const;

  at::Tensor queries_, values_, prefix_values_;
  std::int64_t prefix_length_ = 0;
  double score_cap_;
  std::vector<Branch> branches_;  ///< one or more
};

/// Returns a head's attention as a map of at most `rows` × `columns`.
AttentionMap attention_map(const AttentionPattern& attention, HeadRef head, std::int64_t rows, std::int64_t columns);

/// Returns the mean over queries of a head's attention on each key: [P + n] fp64 on the CPU.
at::Tensor mean_attention(const AttentionPattern& attention);

/// The attention of one head on one or more pairs of a segment that runs in one chunk: its mean on the pairs' keys, and
/// the share of pairs where no other key of prefix and segment has more.
struct PairAttention {
  double mass = 0, top = 0;
};
PairAttention attend_to_pairs(const AttentionPattern& attention, const std::vector<AttentionPair>& pairs);

}  // namespace carryover
