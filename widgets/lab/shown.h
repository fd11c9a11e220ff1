// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/runs/values/inspection.h"
#include "widgets/lab/linked_context.h"

/// The part of a run that a view shows if not everything is selected. GUI thread.
namespace carryover {

/// Returns the selected segment if it has been run, else the newest of those that views are filtered to; -1 if there is
/// none.
int shown_segment(LinkedContext& context);
int shown_segment(LabContext& context);
/// Returns the selected layer and head. A part that is not selected is that of the first head that retrieves, and -1 if
/// none does.
HeadRef shown_head(LinkedContext& context);
/// Returns the prediction of the selected token, against the foil if there is one; nothing if the query that makes it
/// is not in this segment, or has not run.
std::optional<PredictionQuestion> prediction_question(LabContext& context, int segment);
/// Returns the name of a list of hits on an axis: its head, or that all readers share it.
QString list_name(const RunModel& run, int layer, int head);

}  // namespace carryover
