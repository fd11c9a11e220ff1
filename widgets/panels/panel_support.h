// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cstdint>

#include "engine/core/inspection.h"
#include "engine/io/run_folder.h"
#include "widgets/linked_context.h"

class QScrollArea;
class QTableView;

namespace carryover {

/// The selected segment where it has been run, else the newest of those that views are filtered to; -1 where there is
/// none.
int shown_segment(LinkedContext& context);
int shown_segment(LabContext& context);
/// The selected layer and head; what of them is not selected is the first that retrieves, and -1 where none does.
HeadRef shown_head(LinkedContext& context);
/// The run as its folder would describe it.
RunDescription describe(const RunModel& run);
/// Id, model, its hash, policy, configuration and command of the run: what a figure carries.
QString run_provenance(const RunModel& run);
/// The same of a training run: its folder and its whole plan.
QString training_provenance(const TrainingModel& run);
/// The folder of the training run that is shown; empty where there is none.
QString current_training_folder(LabContext& context);
/// The token at `position` between its neighbours, on one line, with line breaks shown as ⏎.
QString text_around(const RunModel& run, std::int64_t position, int before = 4, int after = 4);
/// Stops a run's panels from saying different things while there is nothing to show.
QString no_run_text();
/// `page` in an area that scrolls it down and is as wide as it. The name is for screen readers.
QScrollArea* scrolled(QWidget* page, const QString& name, QWidget* parent);
/// How tables of the lab look: rows as a whole, no grid, short rows.
void prepare_table(QTableView& table, const QString& accessible_name);

}  // namespace carryover
