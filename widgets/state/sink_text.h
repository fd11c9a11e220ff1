// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <optional>

#include "widgets/state/segment_range.h"

/// What the window says of attention sinks. GUI thread.
namespace carryover {

class RunModel;

/// What a lost sink means and what to do about it, of one segment.
QString lost_sink_text(const RunModel& run, int segment);

/// Segments of the range whose sinks were measured, and how many of them lost theirs; nothing where none was measured.
struct SinkCount {
  int lost = 0, segments = 0;
};
std::optional<SinkCount> count_lost_sinks(const RunModel& run, const SegmentRange& range);

/// Why no segment of the run is judged, in a few words; empty where segments are.
QString why_sinks_not_judged(const RunModel& run);
/// When a sink counts as lost, and when that is not judged.
QString sink_rule_text();

}  // namespace carryover
