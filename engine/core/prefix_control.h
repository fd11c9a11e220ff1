// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/hits.h"
#include "engine/core/segment_config.h"

namespace carryover {

/// What stands in for retrieval where one asks what it is worth.
enum class PrefixControl {
  Random,  ///< R positions of the pool, drawn anew for each segment, layer and head
  Recent   ///< the last R positions of the pool
};

/// Hits for every segment, layer and head that retrieves, to be replayed (RunRequest::forced_hits). All count as
/// padding: they are no evidence. Pure; the same seed gives the same hits on every machine.
std::vector<HeadHits> control_hits(PrefixControl control, const SegmentConfig& config, const ModelConfig& model,
                                   std::int64_t tokens, std::uint64_t seed);

}  // namespace carryover
