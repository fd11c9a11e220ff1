// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/config/segment_config.h"
#include "engine/cost/sparse_blocks.h"

namespace carryover {

/// The settings that policy nsa alone has. A plain value.
struct NsaSettings {
  std::int64_t selected_block_length = 64;  ///< b ≥ 1, tokens
  std::int64_t selected_blocks = 16;        ///< s ≥ 1: blocks that a query selects, its own included

  bool operator==(const NsaSettings&) const = default;
};

/// Returns the keys that the policy sees under these settings.
SparseBlocks sparse_blocks(const SegmentConfig& config);

struct PolicyFields;
extern const PolicyFields nsa_fields;

}  // namespace carryover
