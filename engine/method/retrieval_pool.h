// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/core/segment_config.h"

namespace carryover {

/// The pool of one retrieving layer (app:retrieval): append-only, detached, no eviction; entry p is the token at
/// absolute position p. Keys unrotated. Thread: engine.
struct LayerPool {
  std::vector<int> kv_heads;            ///< slot → KV head, ascending
  std::vector<std::int32_t> head_slot;  ///< for each long query head of the layer, in order: its slot
  at::Tensor keys, values;              ///< [slots, capacity, d]
};

class RetrievalPool {
 public:
  /// `expected_tokens` is reserved at once, so that a run of known length never copies; it grows by half beyond. Where
  /// a GPU has not the memory for it and for running a segment beside it, the pool moves to host memory, and says so.
  RetrievalPool(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                std::int64_t expected_tokens);

  std::int64_t entries() const { return entries_; }
  std::int64_t bytes() const;  ///< of the entries held
  const LayerPool& layer(int layer) const { return layers_[static_cast<std::size_t>(layer)]; }

  /// One segment: keys[l], values[l] are [slots, m, d] for retrieving layers, undefined elsewhere. Once per segment.
  void append(const std::vector<at::Tensor>& keys, const std::vector<at::Tensor>& values, std::int64_t m);

  /// This is a copy: the next append moves it to memory of its own, because the original appends in place.
  void share() { capacity_ = entries_; }

 private:
  void reserve(std::int64_t tokens);
  void grow(std::int64_t tokens);
  bool fits(std::int64_t tokens) const;
  std::vector<LayerPool> layers_;  ///< [L]; layers that don't retrieve have no slots
  at::TensorOptions options_;
  std::int64_t head_dim_ = 0, entries_ = 0, capacity_ = 0;
  std::int64_t segment_bytes_ = 0;  ///< that running a segment needs beside the pool
};

}  // namespace carryover
