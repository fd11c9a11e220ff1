// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/config/segment_config.h"
#include "engine/config/window_settings.h"
#include "engine/policies/infllm/infllm_settings.h"

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
  const std::int64_t window = config.of<WindowSettings>().attention_window,
                     length = config.of<InfLlmSettings>().memory_block_length,
                     left = std::max<std::int64_t>(0, tokens - window), sinks = std::min(config.sink_length, left),
                     blocks = (left - sinks) / length;
  return {sinks, blocks, tokens - sinks - blocks * length};
}

/// Returns how many tokens before a segment its queries see. Only the blocks that are looked up count.
inline std::int64_t seen_of_memory(const SegmentConfig& config, const BlockMemory& memory) {
  const auto& own = config.of<InfLlmSettings>();
  return memory.sinks + std::min(memory.blocks, own.memory_blocks) * own.memory_block_length + memory.near;
}

}  // namespace carryover
