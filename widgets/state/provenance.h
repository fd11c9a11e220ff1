// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/records/run_folder.h"
#include "widgets/state/lab_context.h"

/// What a figure says of where its numbers come from. GUI thread.
namespace carryover {

/// The run as its folder would describe it.
RunDescription describe(const RunModel& run);
/// Id, model, its hash, policy, configuration and command of the run: what a figure carries.
QString run_provenance(const RunModel& run);
/// Of such a text, which may be of any run: "dracula.txt, SmolLM2-135M, 2a7e5ff3". What it lacks is left out.
QString run_name_in(const QString& provenance);
/// The policy that such a text says; empty where it says none.
QString policy_in(const QString& provenance);
/// What model_label() gives of its model, but for a number of training steps that only the model itself tells.
QString model_label_in(const QString& provenance);
/// The same of a training run: its folder and its whole plan.
QString training_provenance(const TrainingModel& run);
/// The folder of the training run that is shown; empty where there is none.
QString current_training_folder(LabContext& context);

}  // namespace carryover
