// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/cost/cost_model.h"

/// Counts what attention sees under a policy, by the policy's row in the policy table. Pure; any thread.
namespace carryover {

/// Returns the bytes of keys and values, over all layers, that a token sees after `context` tokens, its own included.
double visible_bytes(const CostModel& cost, const std::string& policy, std::int64_t context);
/// Returns the number of pairs of a query and a position that it sees, over all heads and layers of a text.
double visible_pairs(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t tokens);
/// Returns the number of pairs of a query and a key of the pool whose score a search per token computes in order to
/// choose, over all heads and layers of a text. 0 without such a search.
double searched_pairs(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                      std::int64_t tokens);

}  // namespace carryover
