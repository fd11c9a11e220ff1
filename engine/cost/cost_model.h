// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/base/dtype.h"
#include "engine/base/memory_bytes.h"
#include "engine/config/segment_config.h"

namespace carryover {

/// Logits exist for a block of rows at a time, never as [T, V]: so many bytes of them (method/segment_loss).
inline constexpr std::int64_t logit_block_bytes = 16 << 20;
/// For matmuls with several rows, 8-bit weights are unpacked a block at a time: so many bytes of them (ops/matmul).
inline constexpr std::int64_t unpacked_block_bytes = 16 << 20;

/// The work of a run on a text besides reading it.
struct RunUse {
  bool loss = true;       ///< true: logits of every token; false: of the last token only
  bool decoding = false;  ///< tokens are added one by one to an open segment
};

/// The rows of KV heads that caches hold, over all layers.
struct CachedRows {
  std::int64_t whole = 0;      ///< rows that hold the text
  std::int64_t ends = 0;       ///< rows that hold its first and last tokens
  std::int64_t most_ends = 0;  ///< tokens that such a row holds at most before a segment
};

/// Predicted cost of a run (sec:complexity), for the window's curves and for checks before loading. Pure; any thread.
struct CostModel {
  ModelConfig model;
  SegmentConfig config;
  int bytes_per_value = 4;
  bool packed_weights = false;  ///< 8 bits per weight, and 16 bits of scale per 32 weights

  std::int64_t global_layers() const { return model.layers - model.windowed_layers(); }
  std::int64_t weight_bytes() const;
  /// Returns the bytes of attention-visible KV in one segment, all layers: n + S + αM + β(1−α)R per head, exact by KV
  /// head, and W in windowed layers.
  std::int64_t segmented_attention_bytes() const;
  std::int64_t carry_bytes() const;
  std::int64_t pool_bytes(std::int64_t tokens) const;  ///< keys as SegmentConfig::pool_keys holds them
  std::int64_t pool_bytes_per_token() const;
  /// Returns the bytes of full attention's KV cache at `tokens`; windowed layers hold no more than their window.
  std::int64_t full_attention_bytes(std::int64_t tokens) const;
  /// Returns the peak of temporaries while a chunk of `chunk` tokens runs without gradients: the larger of a layer's
  /// and the logits'.
  std::int64_t activation_bytes(std::int64_t chunk, bool loss = true) const;
  /// Returns n + S + αM + β(1−α)R, the mean number of positions that a head sees.
  double visible_positions() const;
  /// Returns all kinds of memory at the end of a run of `tokens`. Decoding keeps the open segment's keys and values of
  /// all layers.
  MemoryBytes segmented(std::int64_t tokens, RunUse use = {}) const;
  /// Returns the same for full attention in chunks of S. The newest chunk's keys and values exist twice until its last
  /// layer, which counts as activations.
  MemoryBytes full(std::int64_t tokens, RunUse use = {}) const;
  /// Returns the same for caches in chunks of S. What is kept of the newest chunk exists twice until its last layer,
  /// which counts as activations.
  MemoryBytes caches(std::int64_t tokens, const CachedRows& rows, RunUse use = {}) const;
};

CostModel cost_model(const ModelConfig& model, const SegmentConfig& config, DType dtype);

}  // namespace carryover
