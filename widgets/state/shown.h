// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/run/inspection.h"
#include "widgets/state/linked_context.h"

/// What of a run a view shows where not everything is selected. GUI thread.
namespace carryover {

/// The selected segment where it has been run, else the newest of those that views are filtered to; -1 where there is
/// none.
int shown_segment(LinkedContext& context);
int shown_segment(LabContext& context);
/// The selected layer and head; what of them is not selected is the first that retrieves, and -1 where none does.
HeadRef shown_head(LinkedContext& context);
/// The prediction of the selected token, against the foil where there is one; none where the query that makes it is not
/// in this segment, or has not run.
std::optional<PredictionQuestion> prediction_question(LabContext& context, int segment);
/// What a list of hits is called on an axis: its head, or that all readers share it.
QString list_name(const RunModel& run, int layer, int head);

}  // namespace carryover
