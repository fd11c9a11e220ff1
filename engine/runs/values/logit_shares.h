// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/runs/values/inspection.h"

/// The heads and positions that change a prediction's logit most, in the order in which they are listed. Any thread.
namespace carryover {

/// A head, with its contribution to a logit through all that it reads, and by source.
struct HeadShare {
  HeadRef head;
  double logit = 0;
  double sinks = 0, retrieved = 0, carry = 0, segment = 0;
};
/// A position, with the contribution of its key and value to a logit through all heads.
struct SourceShare {
  std::int64_t position = 0;
  double logit = 0;
};

/// Return at most `count` heads or positions: those that change the logit most in either direction, the largest change
/// first; equal ones in their own order.
std::vector<HeadShare> largest_heads(const LogitAttribution& attribution, std::int64_t count);
std::vector<SourceShare> largest_sources(const TokenSources& sources, std::int64_t count);

/// Returns the first reading from which on the target is the likeliest token in all that follow: 0 is the embedding,
/// l + 1 stands behind layer l. Returns nothing if it is not the likeliest one in the last.
std::optional<std::int64_t> settled_from(const std::vector<LensReading>& readings);

}  // namespace carryover
