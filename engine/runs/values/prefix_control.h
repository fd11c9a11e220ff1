// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/hits.h"

namespace carryover {

/// The source of what long-range heads read. All but Search replace retrieval, to measure what it is worth.
enum class PrefixSource {
  Search,    ///< the positions that were retrieved
  Off,       ///< nothing
  Random,    ///< R positions of the pool (whole windows if windows are retrieved), drawn again for each list of hits
  Recent,    ///< the last R positions of the pool
  Constant,  ///< the first R positions of the text, the same for every segment
  Sinks,     ///< the first kSinkTokens positions and the most recent ones: StreamingLLM's cache
  Oracle     ///< the R positions with most of the head's attention over the whole pool (Inspection::recall)
};

/// Returns every source, in the order of the enumeration.
std::span<const PrefixSource> prefix_sources();
std::string_view prefix_source_name(PrefixSource source);  ///< "search", "off", "random", …
std::optional<PrefixSource> prefix_source(std::string_view name);
/// Returns true if positions alone decide the prefix, so that control_hits() makes it: Random, Recent, Constant, Sinks.
bool is_position_control(PrefixSource source);
/// Returns the names of the sources that a whole run can read: all but Oracle, which needs a run to look at.
std::vector<std::string> run_prefix_names();

/// Returns hits for every segment, layer and head that retrieves, to be replayed (RunRequest::forced_hits). Positions
/// are behind the configuration's sinks, which lead every prefix anyway. All hits count as padding, because they are no
/// evidence. `control` must be a position control. Pure; the same seed gives the same hits on every machine.
std::vector<HeadHits> control_hits(PrefixSource control, const SegmentConfig& config, const ModelConfig& model,
                                   std::int64_t tokens, std::uint64_t seed);

}  // namespace carryover
