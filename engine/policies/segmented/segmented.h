// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"
#include "engine/method/retriever.h"
#include "engine/method/retrieving_policy.h"

namespace carryover {

/// Holds what `segmented` keeps besides the carry.
struct SegmentedState final : PolicyState {
  explicit SegmentedState(RetrievalPool empty_pool) : pool(std::move(empty_pool)) {}
  std::int64_t pool_entries() const override { return pool.entries(); }
  std::vector<at::Tensor> pool_contents() const override { return pool.contents(); }
  std::int64_t pool_bytes() const override { return pool.bytes(); }
  std::vector<at::Tensor*> held_tensors() override;
  std::unique_ptr<PolicyState> clone() const override;

  RetrievalPool pool;             ///< keys and values of segments 0..i
  RetrievedPrefix retrieved;      ///< R_i
  bool without_pool = false;      ///< the next segment's queries read nothing of the pool, if they search
  std::vector<LayerSinks> sinks;  ///< [L], from the first segment; empty before it is closed
};

/// The paper's policy (sec:consistency, app:attention): local heads see the carry, long-range heads of long-range
/// layers a retrieved prefix, and other long-range heads only their segment; each reads the sinks first if the
/// configuration has sinks. SegmentConfig says what else heads may read (ADR 0028). Positions start again at 0 in each
/// segment.
///
/// Under SearchBy::PerToken nothing is searched between segments. The prefix of a reader of the pool is the text before
/// the segment, in its order, and each query chooses what it reads of it (method/token_search.h, ADR 0062).
class SegmentedPolicy final : public PolicyOf<SegmentedState>, public RetrievingPolicy {
 public:
  SegmentedPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                  std::int64_t expected_tokens, const std::vector<HeadHits>& forced_hits,
                  std::vector<TokenRange> banned);

  std::string name() const override { return "segmented"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame&) const override { return 0; }
  bool selects() const override { return per_token_; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;
  void search(PolicyState& state, const std::vector<LayerTrace>& traces) const override;
  void forget_retrieved(PolicyState& state) const override;

  const RetrievingPolicy* retrieving() const override { return per_token_ ? nullptr : this; }
  const RetrievalPool& pool(const PolicyState& state) const override { return own(state).pool; }
  SearchedEntries searched(const PolicyState& state, const HeadHits& list) const override;
  std::unique_ptr<PolicyState> with_hits(const PolicyState& state, std::vector<HeadHits> hits) const override;
  std::unique_ptr<PolicyState> narrowed(const SegmentConfig& from, const PolicyState& state) const override;
  SearchedEntries visit_searchers(
      const PolicyState& state, const std::vector<LayerTrace>& traces,
      const std::function<void(HeadRef head, std::span<const double> scores)>& visit) const override;

 protected:
  std::vector<HeadGroup> read(const SegmentedState& state, int layer, Rope& rope) const override;
  std::vector<HeadGroup> complete(const SegmentedState& state, std::vector<HeadGroup> groups,
                                  const ChunkQueries& chunk) const override;
  void close(SegmentedState& state, std::vector<LayerTrace> traces, std::int64_t m) const override;
  void name_fields(SegmentedState& state, StateFields& fields) const override;

 private:
  /// Returns one part of a prefix, undefined if it has no slots.
  PrefixRows part_of(const SegmentedState& state, int layer, const HeadReads& kind, PrefixPart part) const;
  /// Returns the entries of the pool that queries of these heads choose from: those that are no other part of their
  /// prefix.
  PrefixRows choice_of(const SegmentedState& state, int layer, const HeadReads& kind) const;
  SearchedPool searched_pool(const SegmentedState& state) const {
    return {state.pool, state.next.index, state.carry.length()};
  }
  void retrieve(SegmentedState& state, const std::vector<at::Tensor>& queries) const;
  void name_carry(SegmentedState& state, StateFields& fields) const;
  HeadGroup group_of(const SegmentedState& state, int layer, const HeadReads& kind, Rope& rope) const;

  SegmentConfig config_;
  ModelConfig model_;
  at::TensorOptions options_;
  std::int64_t expected_tokens_;
  bool per_token_;  ///< queries search while their segment runs
  Retriever retriever_;
};

}  // namespace carryover
