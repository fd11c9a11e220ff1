// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/sink_text.h"

#include <QCoreApplication>

#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

QString lost_sink_text(const RunModel& run, int segment) {
  const auto mass = [&](int of) {
    const auto& sinks = run.record(of).sinks;  // a folder that others wrote may lack the first segment's
    return sinks ? QString::number(100 * sinks->mass(), 'f', 0) : QStringLiteral("–");
  };
  return filled(
      QCoreApplication::translate(
          "Sinks",
          "Attention sink lost: %1 % of the attention is on sinks, %2 % in segment 0. The segment begins with a "
          "carry, and no token took the place of the text's first one.\nSet Sinks to %3 and run again."),
      mass(segment), mass(0), kSinkTokens);
}

std::optional<SinkCount> count_lost_sinks(const RunModel& run, const SegmentRange& range) {
  SinkCount count;
  for (int segment = 0; segment < run.segment_count(); ++segment) {
    const auto& sinks = run.record(segment).sinks;
    if (!sinks || !range.contains(segment)) continue;
    ++count.segments;
    count.lost += sinks->lost;
  }
  return count.segments > 0 ? std::optional(count) : std::nullopt;
}

QString why_sinks_not_judged(const RunModel& run) {
  if (run.segment_count() == 0) return {};
  if (std::min(run.request().config.segment_length, run.token_count()) < kLeastJudged)
    return QCoreApplication::translate("Sinks", "lost sinks not assessed: fewer than %1 tokens in a segment")
        .arg(static_cast<qlonglong>(kLeastJudged));
  const auto& first = run.record(0).sinks;
  if (!first || first->mass() >= kLeastSinkMass) return {};
  return QCoreApplication::translate("Sinks", "lost sinks not assessed: only %1 % of segment 0's attention is on sinks")
      .arg(decimal_text(100 * first->mass(), 0));
}

QString sink_rule_text() {
  return filled(
      QCoreApplication::translate(
          "Sinks",
          "A segment has lost its sink where less than %1 % of segment 0's share of the attention is on sinks. Not "
          "judged: segments of fewer than %2 tokens, and models with less than %3 % of the attention on sinks in "
          "segment 0."),
      decimal_text(100 * kLostShare, 0), static_cast<qlonglong>(kLeastJudged), decimal_text(100 * kLeastSinkMass, 0));
}

}  // namespace carryover
