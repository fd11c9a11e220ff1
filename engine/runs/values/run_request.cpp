// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/run_request.h"

#include <cmath>

namespace carryover {

void RunSummary::add(const SegmentRecord& record) {
  ++segments;
  tokens += record.length;
  targets += record.targets;
  nll_sum += record.nll_sum;
  near_ties += record.near_ties;
  if (record.time) time += *record.time;
  if (record.sinks) sinks_lost = sinks_lost.value_or(0) + (record.has_lost_sink() ? 1 : 0);
}

void RunResume::add(const SegmentRecord& record) {
  if (segment == 0) first_sinks = record.sinks;
  ++segment;
  before.add(record);
  before.memory.raise_to(record.memory);
  before.seconds += record.seconds;
}

std::optional<double> RunSummary::sinks_lost_share() const {
  if (!sinks_lost || segments == 0) return std::nullopt;
  return static_cast<double>(*sinks_lost) / static_cast<double>(segments);
}

std::optional<double> RunSummary::nll_mean() const {
  if (targets == 0) return std::nullopt;
  return nll_sum / static_cast<double>(targets);
}

std::optional<double> RunSummary::ppl() const {
  const auto mean = nll_mean();
  return mean ? std::optional(std::exp(*mean)) : std::nullopt;
}

}  // namespace carryover
