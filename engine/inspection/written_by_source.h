// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>

#include "engine/decoder/decoder.h"
#include "engine/method/forward_map.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// The sources that a head reads, in the order of the rows of written_by_source().
inline constexpr std::array kSources{&LogitAttribution::sinks, &LogitAttribution::retrieved, &LogitAttribution::carry,
                                     &LogitAttribution::segment};
inline constexpr std::int64_t kCarrySource = 2, kSegmentSource = 3;

/// Returns what each head of a layer writes into the residual stream of one token after it has read each source:
/// [H, sources, D]. `token` is counted from the start of the segment, which begins at `first_token`. Thread: engine.
at::Tensor written_by_source(const Decoder& decoder, const LayerSight& sight, std::int64_t token,
                             std::int64_t first_token);

}  // namespace carryover
