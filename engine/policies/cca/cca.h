// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"
#include "engine/policies/cca/cca_cost.h"
#include "engine/policies/kv_cache.h"

namespace carryover {

/// Holds the core tokens of all whole groups, and the last tokens one by one. Keys are rotated at their positions in
/// the text.
struct CcaState final : PolicyState {
  struct Layer {
    GrowingCache cores;       ///< a row for each query head, for the first ⌊T/g⌋ groups
    at::Tensor keys, values;  ///< [H_kv, CoreTokens::near(T), d]; undefined before a segment is closed

    std::int64_t near() const { return keys.defined() ? keys.size(1) : 0; }
  };
  std::vector<Layer> layers;  ///< [L]

  std::int64_t pool_entries() const override;
  std::vector<at::Tensor> pool_contents() const override;
  std::unique_ptr<PolicyState> clone() const override;
};

/// CCA-Attention (Chen et al., 2025). CoreTokens says which keys a token sees: in one softmax, the core tokens of the
/// groups that are further back than W, and the tokens behind these groups one by one. A core token is the mean of a
/// group's keys, and of its values, with weights softmax(k·q/√d) for each query head, where q is the query of the
/// group's last token; keys and queries are rotated before pooling. This holds exactly for each query: segments are
/// only chunks of the computation. A group that is cut by a segment's end is pooled when it becomes whole.
///
/// The state that crosses segments is detached, as full attention's cache is. A training sample is one segment, and
/// gradients go through all of it, pooling included (on the CPU by ops::listed_backward).
class CcaPolicy final : public PolicyOf<CcaState> {
 public:
  CcaPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
            std::int64_t expected_tokens)
      : model_(model), options_(options), rule_(config), expected_tokens_(expected_tokens) {}

  std::string name() const override { return "cca"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  bool selects() const override { return true; }
  std::int64_t pooled_group() const override { return rule_.group; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 protected:
  std::vector<HeadGroup> read(const CcaState& state, int layer, Rope& rope) const override;
  std::vector<HeadGroup> complete(const CcaState& state, std::vector<HeadGroup> groups,
                                  const ChunkQueries& chunk) const override;
  void take(CcaState& state, std::size_t layer, const LayerTrace& trace, std::int64_t m) const override;
  void name_fields(CcaState& state, StateFields& fields) const override;

 private:
  struct Rows {
    at::Tensor keys, values;
  };
  Rows core_tokens(const at::Tensor& queries, const Rows& tokens) const;
  HeadGroup near_alone(const CcaState::Layer& layer) const;
  void insert_cores(HeadGroup& group, const CcaState::Layer& layer, const ChunkQueries& chunk,
                    std::int64_t count) const;
  KeyIndex seen_keys(std::int64_t first, std::int64_t m, std::int64_t cores, std::int64_t near_begin) const;

  ModelConfig model_;
  at::TensorOptions options_;
  CoreTokens rule_;
  std::int64_t expected_tokens_;
};

}  // namespace carryover
