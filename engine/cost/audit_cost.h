// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/config/segment_config.h"

namespace carryover {

/// The cost of an audit, estimated before anything is loaded.
struct AuditCost {
  std::int64_t memory_bytes = 0;  ///< the audit's own weights, the gradients to compare, and the graphs
  std::int64_t tokens_read = 0;   ///< tokens that go through the model in all; a backward pass counts as two forward
                                  ///< passes
};

/// Number of fixed directions of the finite differences; each trained tensor has one direction more.
constexpr std::int64_t audit_fixed_directions = 8;

/// Estimates an audit. `policy`: a row of policy_table.h. `lora_rank` 0: every parameter is audited. `bytes_per_value`
/// 8 adds finite differences, which only fp64 allows. Sizes that no machine has are capped, never wrapped around. Pure;
/// any thread.
AuditCost audit_cost(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t segments, std::int64_t lora_rank, int bytes_per_value);

}  // namespace carryover
