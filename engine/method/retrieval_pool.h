// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <vector>

#include "engine/core/config/segment_config.h"
#include "engine/method/state_fields.h"
#include "engine/ops/cpu/stored_keys.h"

namespace carryover {

/// The pool of one layer that is searched or read from (app:retrieval): append-only, detached, no eviction; entry p is
/// the token at absolute position p. Keys unrotated, rounded on arrival to SegmentConfig::pool_keys and kept in no
/// other form: that is what is scored, and what a prefix gets in the model's dtype (ADR 0014). Readers take
/// keys.upcast() or upcast_to(). Thread: engine.
struct LayerPool {
  std::vector<int> kv_heads;  ///< slot → KV head, ascending (pool_kv_heads())
  ops::StoredKeys keys;       ///< [slots, capacity, d]
  at::Tensor values;          ///< [slots, capacity, d] in the model's dtype
  at::Tensor key_sums;        ///< [slots, d] fp64, of the entries behind the sinks; undefined where no head searches by
                              ///< centred scores
  std::int64_t summed = 0;    ///< entries in `key_sums`

  std::vector<std::int32_t> slots_of(const std::vector<int>& kv_heads_wanted) const;  ///< all of them are held
  std::int32_t slot_of(int kv_head) const { return slots_of({kv_head}).front(); }
  at::Tensor mean_key(std::int64_t slot) const;  ///< [d] fp64
};

class RetrievalPool {
 public:
  /// `expected_tokens` is reserved at once, so that a run of known length never copies. Beyond, it grows by half, one
  /// tensor at a time: while it does, one tensor of one layer (its keys or its values) is there twice, as far as it is
  /// filled. Afterwards at most a third of the capacity is empty; on the CPU empty pages cost nothing. Where a GPU has
  /// not the memory for it and for running a segment beside it, the pool moves to host memory, and says so.
  /// Throws EngineError{Unsupported} for int8 keys on a GPU.
  RetrievalPool(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                std::int64_t expected_tokens);

  std::int64_t entries() const { return entries_; }
  std::int64_t bytes() const;  ///< of the entries held, scales of int8 keys included
  /// The entries before it are sinks, which are the first segment's: every head reads them anyway, so none is searched
  /// for.
  std::int64_t first_searched() const { return std::min(sink_length_, entries_); }
  const LayerPool& layer(int layer) const { return layers_[static_cast<std::size_t>(layer)]; }

  /// One segment: keys[l], values[l] are [slots, m, d] for layers with slots, undefined elsewhere. Once per segment.
  void append(const std::vector<at::Tensor>& keys, const std::vector<at::Tensor>& values, std::int64_t m);

  std::vector<at::Tensor> contents() const;  ///< views of the entries held: rows, scales and values, layer by layer

  /// This is a copy: the next append moves it to memory of its own, because the original appends in place. The
  /// original then stays beside it.
  void share() { capacity_ = entries_; }

  void visit(StateFields& fields, std::int64_t entries);  ///< of so many entries; one that is read is empty before

 private:
  void reserve(std::int64_t tokens);
  void grow(std::int64_t tokens);
  bool fits(std::int64_t tokens) const;
  void add_to_sums(LayerPool& pool, std::int64_t m) const;
  std::vector<LayerPool> layers_;  ///< [L]; layers that nobody searches or reads have no slots
  c10::Device device_;             ///< where it is, or where it moves when it grows
  std::int64_t entry_bytes_ = 0;   ///< of one position, all layers and slots
  std::int64_t entries_ = 0, capacity_ = 0;
  std::int64_t sink_length_ = 0;
  std::int64_t segment_bytes_ = 0;  ///< that running a segment needs beside the pool
};

}  // namespace carryover
