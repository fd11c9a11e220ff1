// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/prefix_slots.h"

#include <algorithm>

namespace carryover {
namespace {

/// Positions of the text's first tokens, or of the tail that the segment before carries on, without those.
TokenRange sinks_of(const RunModel& run, int segment) {
  return {0, std::min(run.request().config.sink_length, run.record(segment).first_token)};
}
TokenRange carry_of(const RunModel& run, int segment) {
  const std::int64_t end = run.record(segment).first_token;
  if (segment == 0) return {end, end};
  const std::int64_t held = std::min(run.request().config.carry_length, run.record(segment - 1).length);
  return {std::max(end - held, std::min(end, run.request().config.sink_length)), end};
}

}  // namespace

std::vector<PrefixSlot> prefix_slots(const RunModel& run, int segment, HeadRef reader, const std::vector<Hit>& hits) {
  std::vector<PrefixSlot> prefix;
  const auto add = [&prefix](PrefixPart part, TokenRange range) {
    for (std::int64_t position = range.first; position < range.last; ++position)
      prefix.push_back({part, position, HitKind::Padding});
  };
  for (const HeadReads& kind : head_reads(run.request().config, run.model().config, reader.layer)) {
    if (!std::ranges::binary_search(kind.heads, reader.head)) continue;
    for (const PrefixPart part : kind.parts) {
      if (part == PrefixPart::Sinks) add(part, sinks_of(run, segment));
      if (part == PrefixPart::Carry) add(part, carry_of(run, segment));
      if (part != PrefixPart::Retrieved) continue;
      for (const Hit& hit : hits) prefix.push_back({part, hit.position, hit.kind});
    }
  }
  return prefix;
}

}  // namespace carryover
