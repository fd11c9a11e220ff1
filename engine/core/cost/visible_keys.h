// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/core/cost/cost_model.h"

/// How much attention sees under a policy, by its row of the policy table. Pure; any thread.
namespace carryover {

/// Keys and values that a token sees which stands behind `context` tokens, its own included, bytes over all layers.
double visible_bytes(const CostModel& cost, const std::string& policy, std::int64_t context);
/// Pairs of a query and a position that it sees, over all heads and layers of a text.
double visible_pairs(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t tokens);

}  // namespace carryover
