// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"
#include "engine/policies/duo/duo_settings.h"
#include "engine/policies/kv_cache.h"

namespace carryover {

/// Holds whole caches for the KV heads of retrieval heads, and first and last tokens for those of streaming heads. Keys
/// are rotated at their positions in the text.
struct DuoState final : PolicyState {
  struct Layer {
    GrowingCache whole;
    EndsCache ends;
  };
  std::vector<Layer> layers;  ///< [L]

  std::int64_t pool_entries() const override { return next.first_token; }  ///< entries of a retrieval head
  std::vector<at::Tensor> pool_contents() const override;
  std::unique_ptr<PolicyState> clone() const override;
};

/// DuoAttention (Xiao et al., 2025): retrieval heads see the whole past; streaming heads see the text's first n tokens
/// and the last W, and all other keys of theirs are freed. This holds exactly for each query: segments are only chunks
/// of the computation. The official code's one-pass prefill, in contrast, lets streaming heads see everything. As in
/// that code, sinks keep their positions in the text.
class DuoPolicy final : public PolicyOf<DuoState> {
 public:
  DuoPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
            std::int64_t expected_tokens);

  std::string name() const override { return "duo"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 protected:
  std::vector<HeadGroup> read(const DuoState& state, int layer, Rope& rope) const override;
  void take(DuoState& state, std::size_t layer, const LayerTrace& trace, std::int64_t m) const override;
  void name_fields(DuoState& state, StateFields& fields) const override;

 private:
  struct Layer {
    DuoHeads heads;
    std::vector<int> retrieval_kv, streaming_kv;
  };
  HeadGroup retrieval_group(const DuoState& state, int layer) const;
  HeadGroup streaming_group(const DuoState& state, int layer) const;

  std::vector<Layer> layers_;  ///< [L]
  std::int64_t sinks_, window_, head_dim_, expected_tokens_;
  at::TensorOptions options_;
};

}  // namespace carryover
