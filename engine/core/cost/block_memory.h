// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// What a layer holds of a text under policy infllm: its first tokens and blocks, which left the window, and the rest.
struct BlockMemory {
  std::int64_t sinks = 0;   ///< tokens
  std::int64_t blocks = 0;  ///< of memory_block_length tokens
  std::int64_t near = 0;    ///< tokens
};

/// Of a text of `tokens`, where a segment ends there. Pure; any thread.
inline BlockMemory block_memory(const SegmentConfig& config, std::int64_t tokens) {
  const std::int64_t left = std::max<std::int64_t>(0, tokens - config.attention_window),
                     sinks = std::min(config.sink_length, left), blocks = (left - sinks) / config.memory_block_length;
  return {sinks, blocks, tokens - sinks - blocks * config.memory_block_length};
}

/// Tokens before a segment that its queries see, of blocks those that are looked up.
inline std::int64_t seen_of_memory(const SegmentConfig& config, const BlockMemory& memory) {
  return memory.sinks + std::min(memory.blocks, config.memory_blocks) * config.memory_block_length + memory.near;
}

}  // namespace carryover
