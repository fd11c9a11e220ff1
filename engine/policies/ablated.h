// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/method/attention_policy.h"
#include "engine/runs/values/what_if.h"

namespace carryover {

/// Another policy, with parts of its prefixes removed, of all heads or of single ones: the sinks, the carry, what was
/// retrieved, or single slots. The rest keeps its positions. A slot of a shared list is removed for all of its readers.
/// Borrows the other policy and shares its states.
class AblatedPolicy final : public AttentionPolicy {
 public:
  /// `group_size`: number of query heads per KV head.
  AblatedPolicy(const AttentionPolicy& whole, const SegmentEdit& edit, std::int64_t group_size)
      : whole_(whole), edit_(edit), group_size_(group_size) {}

  std::string name() const override { return whole_.name(); }
  std::unique_ptr<PolicyState> init_state() const override { return whole_.init_state(); }
  std::int64_t first_position(const SegmentFrame& frame) const override { return whole_.first_position(frame); }
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override;
  bool selects() const override { return whole_.selects(); }
  bool weighs_keys() const override { return whole_.weighs_keys(); }
  std::int64_t pooled_group() const override { return whole_.pooled_group(); }
  bool gated() const override { return whole_.gated(); }
  std::vector<HeadGroup> select(const PolicyState& state, std::vector<HeadGroup> groups,
                                const ChunkQueries& queries) const override;
  LayerTrace trace(int layer, const LayerKv& kv) const override { return whole_.trace(layer, kv); }
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override {
    whole_.commit(state, std::move(traces), m);
  }

  /// Returns the hits that a segment reads if it starts from `state`.
  std::vector<HeadHits> hits(const PolicyState& state) const;

 private:
  /// Returns the groups of a layer without what the edit removes. Called again for groups that select() has completed
  /// since.
  std::vector<HeadGroup> edited(const PolicyState& state, int layer, std::vector<HeadGroup> read) const;
  bool drops(const HeadHits& list, std::int64_t position) const;
  /// Returns the slots of a group's prefix that remain for a head. `hits`: what it reads; null: nothing retrieved.
  std::vector<std::int64_t> kept_slots(const HeadGroup& group, HeadRef head, const HeadHits* hits) const;

  const AttentionPolicy& whole_;
  const SegmentEdit& edit_;
  std::int64_t group_size_;
};

}  // namespace carryover
