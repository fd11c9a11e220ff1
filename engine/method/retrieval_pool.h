// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/method/state_fields.h"
#include "engine/ops/cpu/stored_keys.h"

namespace carryover {

/// The pool of one layer whose keys are searched or read (app:retrieval). It is append-only, detached, and evicts
/// nothing; entry p is the token at absolute position p. Keys are unrotated and rounded on arrival to
/// SegmentConfig::pool_keys. They are kept in no other form: searches score the rounded keys, and a prefix gets them in
/// the model's dtype (ADR 0014). Readers call keys.upcast() or upcast_to(). Thread: engine.
struct LayerPool {
  std::vector<int> kv_heads;  ///< the KV head of each slot, ascending (pool_kv_heads())
  ops::StoredKeys keys;       ///< [slots, capacity, d]
  at::Tensor values;          ///< [slots, capacity, d] in the model's dtype
  at::Tensor key_sums;        ///< [slots, d] fp64, sums over the entries behind the sinks; undefined if no head
                              ///< searches by centred scores
  std::int64_t summed = 0;    ///< number of entries in `key_sums`

  std::vector<std::int32_t> slots_of(const std::vector<int>& kv_heads_wanted) const;  ///< all must be held
  std::int32_t slot_of(int kv_head) const { return slots_of({kv_head}).front(); }
  at::Tensor mean_key(std::int64_t slot) const;  ///< [d] fp64
};

class RetrievalPool {
 public:
  /// Reserves `expected_tokens` at once, so that a run of known length never copies. Beyond that, the pool grows by
  /// half, one tensor at a time: meanwhile one tensor of one layer (its keys or its values) exists twice, as far as it
  /// is filled. Afterwards at most a third of the capacity is empty; on the CPU, empty pages cost nothing. If a GPU
  /// does not have the memory for it and for running a segment beside it, the pool moves to host memory and prints a
  /// message. Throws EngineError{Unsupported} for int8 keys on a GPU.
  RetrievalPool(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                std::int64_t expected_tokens);

  std::int64_t entries() const { return entries_; }
  std::int64_t bytes() const;  ///< bytes of the entries held, including the scales of int8 keys
  /// Returns the position of the first entry that is searched. Entries before it are sinks, from the first segment;
  /// every head reads these anyway.
  std::int64_t first_searched() const { return std::min(sink_length_, entries_); }
  const LayerPool& layer(int layer) const { return layers_[static_cast<std::size_t>(layer)]; }

  /// Appends one segment of m tokens; called once per segment. keys[l], values[l]: [slots, m, d] for layers with slots,
  /// undefined for others.
  void append(const std::vector<at::Tensor>& keys, const std::vector<at::Tensor>& values, std::int64_t m);

  std::vector<at::Tensor> contents() const;  ///< views of the entries held: rows, scales and values, layer by layer

  /// Marks this pool as a copy. Its next append moves it to memory of its own, because the original appends in place,
  /// and the original stays in memory beside it.
  void share() { capacity_ = entries_; }

  void visit(StateFields& fields, std::int64_t entries);  ///< names the fields of `entries` entries; a pool that is
                                                          ///< read into must be empty

 private:
  void reserve(std::int64_t tokens);
  void grow(std::int64_t tokens);
  bool fits(std::int64_t tokens) const;
  void add_to_sums(LayerPool& pool, std::int64_t m) const;
  std::vector<LayerPool> layers_;  ///< [L]; layers that no head searches or reads have no slots
  c10::Device device_;             ///< the device it is on, or to which it moves when it grows
  std::int64_t entry_bytes_ = 0;   ///< bytes of one position in all layers and slots
  std::int64_t entries_ = 0, capacity_ = 0;
  std::int64_t sink_length_ = 0;
  std::int64_t segment_bytes_ = 0;  ///< bytes that running a segment needs beside the pool
};

}  // namespace carryover
