// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/core/base/dtype.h"
#include "engine/core/base/memory_bytes.h"
#include "engine/core/config/segment_config.h"

namespace carryover {

/// Logits exist for a block of rows at a time, never [T, V]: this much of them (method/segment_loss).
inline constexpr std::int64_t logit_block_bytes = 16 << 20;
/// For matmuls with several rows a weight of 8 bits is unpacked a block at a time: this much of it (ops/matmul).
inline constexpr std::int64_t unpacked_block_bytes = 16 << 20;

/// What a run does with a text beside reading it.
struct RunUse {
  bool loss = true;       ///< logits of every token, else of the last alone
  bool decoding = false;  ///< tokens are added one by one to an open segment
};

/// Predicted cost of a run (sec:complexity), for the window's curves and for checks before loading. Pure; any thread.
struct CostModel {
  ModelConfig model;
  SegmentConfig config;
  int bytes_per_value = 4;
  bool packed_weights = false;  ///< in 8 bits, and 16 bits of scale for 32 of them

  std::int64_t weight_bytes() const;
  /// Bytes of attention-visible KV in one segment, all layers: n + S + αM + β(1−α)R, per head, exactly by KV head.
  std::int64_t segmented_attention_bytes() const;
  std::int64_t carry_bytes() const;
  std::int64_t pool_bytes(std::int64_t tokens) const;  ///< keys as SegmentConfig::pool_keys holds them
  std::int64_t pool_bytes_per_token() const;
  /// KV cache of full attention at `tokens`.
  std::int64_t full_attention_bytes(std::int64_t tokens) const;
  /// Peak of temporaries while a chunk of `chunk` tokens runs without gradients: the larger of a layer's and the
  /// logits'.
  std::int64_t activation_bytes(std::int64_t chunk, bool loss = true) const;
  /// n + S + αM + β(1−α)R: mean number of positions a head sees, tokens.
  double visible_positions() const;
  /// All kinds at the end of a run of `tokens`; decoding keeps the open segment's keys and values of all layers.
  MemoryBytes segmented(std::int64_t tokens, RunUse use = {}) const;
  /// The same of full attention in chunks of S; the newest chunk's keys and values are there twice until its last
  /// layer, which counts as activations.
  MemoryBytes full(std::int64_t tokens, RunUse use = {}) const;
  /// The same of caches in chunks of S: `whole` rows of KV heads, over all layers, hold the text, and `ends` rows the
  /// first `sinks` tokens and the last attention_window; of the newest chunk what is kept is there twice until its last
  /// layer, which counts as activations.
  MemoryBytes caches(std::int64_t tokens, std::int64_t whole, std::int64_t ends, std::int64_t sinks,
                     RunUse use = {}) const;
  /// The same of all tokens, of which a segment sees sinks, some blocks and those near it (block_memory.h).
  MemoryBytes looked_up(std::int64_t tokens, RunUse use = {}) const;
  /// The same of core tokens and those that are seen one by one (core_tokens.h).
  MemoryBytes pooled(std::int64_t tokens, RunUse use = {}) const;
  /// The same of all tokens and a mean of each whole block of them (sparse_blocks.h).
  MemoryBytes branched(std::int64_t tokens, RunUse use = {}) const;
};

CostModel cost_model(const ModelConfig& model, const SegmentConfig& config, DType dtype);

}  // namespace carryover
