// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/config/segment_config.h"
#include "engine/method/attention_policy.h"
#include "engine/policies/kv_cache.h"

namespace carryover {

/// Holds the whole text, unrotated: in each layer the first tokens and the blocks, which have left the window, and the
/// rest.
struct InfLlmState final : PolicyState {
  struct Layer {
    at::Tensor sink_keys, sink_values;  ///< [H_kv, ≤ n, d]; undefined while no token has left the window
    GrowingCache blocks;                ///< the tokens of all blocks, block after block
    GrowingRows block_keys;             ///< [1, blocks, H·d] in opmath; the lookup multiplies them by the mean query
    at::Tensor keys, values;            ///< [H_kv, held, d], the rest; undefined before a segment is closed
    at::Tensor received;                ///< [H, held] in opmath, the attention that the rest got in windows so far

    std::int64_t sinks() const { return sink_keys.defined() ? sink_keys.size(1) : 0; }
    std::int64_t held() const { return keys.defined() ? keys.size(1) : 0; }
  };
  std::vector<Layer> layers;  ///< [L]

  std::int64_t pool_entries() const override { return next.first_token; }
  std::vector<at::Tensor> pool_contents() const override;
  std::unique_ptr<PolicyState> clone() const override;
};

/// InfLLM (Xiao et al., 2024). A query sees the last W keys up to its own at their positions. From W − 1 positions away
/// it sees the text's first n tokens, the blocks of the past that its chunk looked up, and tokens that have left its
/// window but are in no block yet. A chunk looks up the blocks whose keys match the mean of its queries best, over all
/// heads together. A block's key is, for each query head, the mean of the keys that got most attention of that head in
/// windows. Blocks are formed when a segment closes. The official code forms them after each chunk, also after each
/// decoded token, and lets a chunk's first queries see tokens twice that leave the window before the chunk's last
/// query.
class InfLlmPolicy final : public PolicyOf<InfLlmState> {
 public:
  InfLlmPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
               std::int64_t expected_tokens);

  std::string name() const override { return "infllm"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  bool selects() const override { return true; }
  bool weighs_keys() const override { return true; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 protected:
  std::vector<HeadGroup> read(const InfLlmState& state, int layer, Rope& rope) const override;
  std::vector<HeadGroup> complete(const InfLlmState& state, std::vector<HeadGroup> groups,
                                  const ChunkQueries& queries) const override;
  void take(InfLlmState& state, std::size_t layer, const LayerTrace& trace, std::int64_t m) const override;
  void name_fields(InfLlmState& state, StateFields& fields) const override;

 private:
  /// Returns the indices of the blocks that a chunk reads, ascending.
  std::vector<std::int64_t> look_up(const InfLlmState::Layer& layer, const ChunkQueries& queries) const;
  HeadHits tokens_of(const std::vector<std::int64_t>& blocks, const ChunkQueries& queries) const;
  at::Tensor block_key(const at::Tensor& keys, const at::Tensor& received) const;
  /// Returns the position from which queries read the tokens that have left the window. The official code uses W − 1;
  /// the paper says W.
  std::int64_t furthest() const { return window_ - 1; }

  ModelConfig model_;
  at::TensorOptions options_, opmath_;
  std::int64_t sinks_, window_, most_blocks_, block_length_, representatives_, expected_tokens_;
};

}  // namespace carryover
