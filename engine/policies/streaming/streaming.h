// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/config/segment_config.h"
#include "engine/method/attention_policy.h"
#include "engine/policies/kv_cache.h"

namespace carryover {

/// Holds the text's first tokens, if they stay, and its last ones. Keys are rotated at their positions in the text.
struct WindowState final : PolicyState {
  std::vector<EndsCache> layers;  ///< [L]

  std::int64_t pool_entries() const override;
  std::vector<at::Tensor> pool_contents() const override;
  std::vector<at::Tensor*> held_tensors() override;
  std::unique_ptr<PolicyState> clone() const override { return std::make_unique<WindowState>(*this); }
};

/// StreamingLLM (Xiao et al., 2024): every query sees the text's first n tokens and, of the rest, the last W up to
/// itself. This holds exactly for each query: segments are only chunks of the computation. With `positions_in_cache`, a
/// query is at most n + W − 1 positions away from the first token, as in a cache of n + W entries; otherwise everything
/// keeps its position in the text (the A-shape of MInference). With n = 0 this is attention with a sliding window.
class StreamingPolicy final : public PolicyOf<WindowState> {
 public:
  struct Cache {
    std::int64_t sinks = 0, window = 1;
    bool positions_in_cache = true;
  };
  StreamingPolicy(std::string name, const Cache& cache, const ModelConfig& model, at::TensorOptions options)
      : name_(std::move(name)), cache_(cache), model_(model), options_(options) {}

  std::string name() const override { return name_; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 protected:
  std::vector<HeadGroup> read(const WindowState& state, int layer, Rope& rope) const override;
  void take(WindowState& state, std::size_t layer, const LayerTrace& trace, std::int64_t m) const override;
  void name_fields(WindowState& state, StateFields& fields) const override;

 private:
  std::string name_;
  Cache cache_;
  ModelConfig model_;
  at::TensorOptions options_;
};

}  // namespace carryover
