// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/runs/records/run_folder.h"
#include "widgets/runs/state/run_model.h"
#include "widgets/training/state/training_model.h"

/// The text of a figure that says where its numbers come from. GUI thread.
namespace carryover {

/// The run as its folder would describe it.
RunDescription describe(const RunModel& run);
/// Returns the text that a figure carries: id, model, its hash, policy, configuration and command of the run.
QString run_provenance(const RunModel& run);
/// Returns the name of the run from such a text, which may be of any run: "dracula.txt, SmolLM2-135M, 2a7e5ff3". Parts
/// that the text lacks are left out.
QString run_name_in(const QString& provenance);
/// Returns the policy that such a text names; empty if it names none.
QString policy_in(const QString& provenance);
/// Returns the model_label() of the text's model, without the training steps that only the model itself knows.
QString model_label_in(const QString& provenance);
/// Returns the same text for a training run: its folder and its whole plan.
QString training_provenance(const TrainingModel& run);

}  // namespace carryover
