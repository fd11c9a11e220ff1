// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <optional>

#include "widgets/runs/state/segment_range.h"

/// The window's texts about attention sinks. GUI thread.
namespace carryover {

class RunModel;

/// Says what a lost sink means and what to do about it, for one segment.
QString lost_sink_text(const RunModel& run, int segment);

/// The number of segments of the range whose sinks were measured, and of those that lost theirs. Nothing if none was
/// measured.
struct SinkCount {
  int lost = 0, segments = 0;
};
std::optional<SinkCount> count_lost_sinks(const RunModel& run, const SegmentRange& range);

/// Says in a few words why no segment of the run is judged; empty if segments are.
QString why_sinks_not_judged(const RunModel& run);
/// Says when a sink counts as lost, and when that is not judged.
QString sink_rule_text();

}  // namespace carryover
