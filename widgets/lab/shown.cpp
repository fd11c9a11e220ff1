// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/shown.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "widgets/look/filled_text.h"

namespace carryover {

namespace {

int shown_segment_of(const RunModel& run, const Selection& selected, const SegmentRange& range) {
  const int last = run.segment_count() - 1;
  if (selected.segment >= 0 && selected.segment <= last) return selected.segment;
  return range.is_set() ? std::min(last, range.last) : last;
}

}  // namespace

int shown_segment(LinkedContext& context) {
  return shown_segment_of(context.run(), context.selected(), context.range());
}
int shown_segment(LabContext& context) {
  return shown_segment_of(context.run(), context.selected(), context.range());
}

HeadRef shown_head(LinkedContext& context) {
  int layer = context.selected().layer, head = context.selected().head;
  const Grouping& grouping = context.run().request().config.grouping;
  if (layer < 0 && !grouping.long_range_layers().empty()) layer = grouping.long_range_layers().front();
  if (head < 0 && layer >= 0 && !grouping.long_heads(layer).empty()) head = grouping.long_heads(layer).front();
  return {layer, head};
}

std::optional<PredictionQuestion> prediction_question(LabContext& context, int segment) {
  const RunModel& run = context.run();
  const std::int64_t token = context.selected().token;
  if (segment < 0 || segment >= run.segment_count() || token < 1 || run.segment_of_token(token - 1) != segment ||
      std::isnan(run.nll_of_token(token)))
    return {};
  return PredictionQuestion{token - 1 - run.record(segment).first_token, context.foil().id()};
}

QString list_name(const RunModel& run, int layer, int head) {
  return run.request().config.search == SearchBy::Shared
             ? QCoreApplication::translate("HitLists", "shared")
             : filled(QCoreApplication::translate("HitLists", "L%1 H%2"), layer, head);
}

}  // namespace carryover
