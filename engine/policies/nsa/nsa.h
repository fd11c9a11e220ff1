// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"
#include "engine/policies/kv_cache.h"
#include "engine/policies/nsa/nsa_settings.h"

namespace carryover {

/// Holds all keys and values, rotated, and their means over each whole block.
struct NsaState final : PolicyState {
  struct Layer {
    GrowingCache tokens, blocks;  ///< a row for each KV head
  };
  std::vector<Layer> layers;  ///< [L]

  std::int64_t pool_entries() const override;
  std::vector<at::Tensor> pool_contents() const override;
  std::unique_ptr<PolicyState> clone() const override;
};

/// Native Sparse Attention (Yuan et al., 2025), as fla-org/native-sparse-attention defines it. It has three branches,
/// each with a softmax of its own; SparseBlocks says which keys a token sees. The compressed branch sees means of whole
/// blocks, whose keys are rotated before; it is 0 while no block is whole. The selected branch sees the tokens of the
/// own block and of those blocks before it that have the largest compressed attention, summed over the query heads that
/// share a KV head. The window branch sees the last W tokens. The output is the sum of the branches, each multiplied by
/// a gate for head and token, the sigmoid of a projection of the layer's normed input (BranchGates). The reference's
/// projection has no bias, which equals ours with a bias of zeros. Ours has one so that neutral gates, those of a model
/// that was not trained under nsa, can leave the compressed branch almost out.
///
/// Groups of query heads may have any size. All this holds exactly for each query: segments are only chunks of the
/// computation. What crosses segments is detached, as full attention's cache is; a training sample is one segment.
/// Gradients go through the branches, the means and the gates, but, as in the reference, not through the choice of
/// blocks.
class NsaPolicy final : public PolicyOf<NsaState> {
 public:
  NsaPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
            std::int64_t expected_tokens)
      : model_(model), options_(options), rule_(sparse_blocks(config)), expected_tokens_(expected_tokens) {}

  std::string name() const override { return "nsa"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  bool selects() const override { return true; }
  bool gated() const override { return true; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 protected:
  std::vector<HeadGroup> read(const NsaState& state, int layer, Rope& rope) const override;
  std::vector<HeadGroup> complete(const NsaState& state, std::vector<HeadGroup> groups,
                                  const ChunkQueries& chunk) const override;
  void take(NsaState& state, std::size_t layer, const LayerTrace& trace, std::int64_t m) const override;
  void name_fields(NsaState& state, StateFields& fields) const override;

 private:
  at::Tensor means(const at::Tensor& rows) const;
  void add_means(HeadGroup& compressed, const NsaState::Layer& layer, const ChunkQueries& chunk) const;
  KeyIndex seen_means(const ChunkQueries& chunk) const;
  KeyIndex selected_keys(const ChunkQueries& chunk, const at::Tensor& means) const;
  void select_blocks(KeyIndex& index, std::int64_t kv_head, std::int64_t query, std::int64_t first,
                     const at::Tensor& queries, const at::Tensor& means) const;

  ModelConfig model_;
  at::TensorOptions options_;
  SparseBlocks rule_;
  std::int64_t expected_tokens_;
};

}  // namespace carryover
