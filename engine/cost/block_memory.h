// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/config/segment_config.h"

namespace carryover {

/// The tokens that a layer holds of a text under policy infllm: the first tokens and the blocks, which have left the
/// window, and the rest.
struct BlockMemory {
  std::int64_t sinks = 0;   ///< tokens
  std::int64_t blocks = 0;  ///< blocks of memory_block_length tokens
  std::int64_t near = 0;    ///< tokens
};

/// Returns what is held of a text of `tokens` tokens if a segment ends there. Pure; any thread.
inline BlockMemory block_memory(const SegmentConfig& config, std::int64_t tokens) {
  const std::int64_t left = std::max<std::int64_t>(0, tokens - config.attention_window),
                     sinks = std::min(config.sink_length, left), blocks = (left - sinks) / config.memory_block_length;
  return {sinks, blocks, tokens - sinks - blocks * config.memory_block_length};
}

/// Returns how many tokens before a segment its queries see. Only the blocks that are looked up count.
inline std::int64_t seen_of_memory(const SegmentConfig& config, const BlockMemory& memory) {
  return memory.sinks + std::min(memory.blocks, config.memory_blocks) * config.memory_block_length + memory.near;
}

}  // namespace carryover
