// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/config/head_reads.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// A place in a head's prefix. A plain value.
struct PrefixSlot {
  PrefixPart part;
  std::int64_t position;  ///< in the text
  HitKind kind;           ///< of a retrieved one
};

/// Returns the positions that a head of a segment reads before the segment, in order: sinks, retrieved and carried
/// positions, as its kind of heads reads them. `hits` are those that it reads. Pure; GUI thread.
std::vector<PrefixSlot> prefix_slots(const RunModel& run, int segment, HeadRef reader, const std::vector<Hit>& hits);

}  // namespace carryover
