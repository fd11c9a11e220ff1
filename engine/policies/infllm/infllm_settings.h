// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// The settings that policy infllm alone has. A plain value.
struct InfLlmSettings {
  std::int64_t memory_blocks = 16;          ///< ≥ 1: blocks that a chunk looks up
  std::int64_t memory_block_length = 128;   ///< ≥ 1, tokens
  std::int64_t memory_representatives = 4;  ///< ≥ 1, ≤ memory_block_length: keys whose mean is a block's key

  bool operator==(const InfLlmSettings&) const = default;
};

struct PolicyFields;
extern const PolicyFields infllm_fields;

}  // namespace carryover
