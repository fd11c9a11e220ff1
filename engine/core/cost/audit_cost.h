// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// What an audit needs, estimated before anything is loaded.
struct AuditCost {
  std::int64_t memory_bytes = 0;  ///< weights of its own, gradients to compare, the graphs
  std::int64_t tokens_read = 0;   ///< tokens that go through the model in all; a backward counts as two
};

/// Of the finite differences: a direction for each trained tensor, and some that are fixed.
constexpr std::int64_t audit_fixed_directions = 8;

/// `policy`: a row of policy_table.h. `lora_rank` 0: every parameter is audited.
/// `bytes_per_value` 8 adds finite differences, which fp64 alone allows. Sizes that no machine has are capped, never
/// wrapped around. Pure; any thread.
AuditCost audit_cost(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t segments, std::int64_t lora_rank, int bytes_per_value);

}  // namespace carryover
