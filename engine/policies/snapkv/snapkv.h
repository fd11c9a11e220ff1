// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/config/segment_config.h"
#include "engine/method/attention_policy.h"
#include "engine/policies/kv_cache.h"
#include "engine/policies/snapkv/snapkv_settings.h"

namespace carryover {

/// Holds the cache of each KV head: the whole text until the prompt ends, then what was kept of the prompt, and all
/// that follows.
struct SnapKvState final : PolicyState {
  struct Layer {
    GrowingCache cache;
    at::Tensor queries;  ///< [H, ≤ L_q, d], unrotated: the last queries, which vote
  };
  std::vector<Layer> layers;  ///< [L]

  std::int64_t pool_entries() const override { return layers.front().cache.entries(); }
  std::vector<at::Tensor> pool_contents() const override;
  std::unique_ptr<PolicyState> clone() const override;
};

/// SnapKV (Li et al., 2024): a prompt is read under full attention. At its end, its last L_q queries vote for its keys,
/// and each KV head keeps the keys with most votes and the last L_q, `budget` in all. Votes are mean attention,
/// smoothed over five neighbours and averaged over the query heads of a KV head, as in kvpress. A text that is not a
/// prompt has no end, so it is read under full attention.
class SnapKvPolicy final : public PolicyOf<SnapKvState> {
 public:
  SnapKvPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
               std::int64_t expected_tokens)
      : model_(model),
        options_(options),
        window_(config.query_length),
        budget_(config.of<SnapKvSettings>().kv_budget),
        expected_tokens_(expected_tokens) {}

  std::string name() const override { return "snapkv"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;
  bool ends_prompts() const override { return true; }
  void end_prompt(PolicyState& state, Ropes& ropes) const override;

 protected:
  std::vector<HeadGroup> read(const SnapKvState& state, int layer, Rope& rope) const override;
  void take(SnapKvState& state, std::size_t layer, const LayerTrace& trace, std::int64_t m) const override;
  void name_fields(SnapKvState& state, StateFields& fields) const override;  ///< only before end_prompt()

 private:
  void compress(SnapKvState::Layer& layer, std::int64_t end, Rope& rope) const;

  ModelConfig model_;
  at::TensorOptions options_;
  std::int64_t window_, budget_, expected_tokens_;
};

}  // namespace carryover
