// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/patch.h"

#include <algorithm>

namespace carryover {

namespace {

std::string pair_of(std::int64_t of_source, std::int64_t of_run) {
  return std::to_string(of_source) + " there, " + std::to_string(of_run) + " here";
}

/// Returns the number of tokens of a segment; 0 or less if the text ends before it.
std::int64_t length_of(const RunRequest& run, std::int64_t segment) {
  const std::int64_t length = run.config.segment_length;
  return std::min(length, std::ssize(*run.ids) - segment * length);
}

/// Returns the reason why a carry can't replace another: both must be of the same heads and tokens.
std::string carry_problem(const RunRequest& run, const RunRequest& source, std::int64_t segment,
                          const SegmentEdit& edit) {
  const SegmentConfig &mine = edit.config ? *edit.config : run.config, &other = source.config;
  if (edit.no_carry) return "the carry can't be zeroed and patched at once";
  if (segment == 0 || mine.carry_length == 0) return "nothing is carried into segment " + std::to_string(segment);
  if (source.policy != run.policy) return "the policies differ: " + source.policy + " there, " + run.policy + " here";
  if (other.carry_length != mine.carry_length)
    return "the carried tails (M) differ: " + pair_of(other.carry_length, mine.carry_length);
  if (other.sink_length != mine.sink_length)
    return "the numbers of sinks differ: " + pair_of(other.sink_length, mine.sink_length);
  if (!(other.grouping == mine.grouping)) return "the groupings differ, so other heads read the carry";
  if (other.local_reads != mine.local_reads || other.long_reads != mine.long_reads)
    return "other heads read the carry: what local or long-range heads read differs";
  return {};
}

}  // namespace

std::string patch_problem(const RunRequest& run, const RunRequest& source, std::int64_t segment,
                          const SegmentEdit& edit) {
  for (const HeadRef& head : edit.zeroed_heads)
    if (std::ranges::count(edit.patched_heads, head) > 0) return "a head's output can't be zeroed and patched at once";
  if (source.config.segment_length != run.config.segment_length)
    return "the segment lengths differ: " + pair_of(source.config.segment_length, run.config.segment_length);
  const std::int64_t there = length_of(source, segment), here = length_of(run, segment);
  if (there <= 0) return "the other run's text ends before segment " + std::to_string(segment);
  if (there != here)
    return "segment " + std::to_string(segment) + " has another number of tokens: " + pair_of(there, here);
  return edit.patch_carry ? carry_problem(run, source, segment, edit) : std::string();
}

}  // namespace carryover
