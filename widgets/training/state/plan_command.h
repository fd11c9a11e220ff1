// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/training/records/training_plan.h"

namespace carryover {

/// A word as a POSIX shell takes it: quoted where it must be.
QString shell_word(const QString& word);

/// `carryover train …` that starts this plan: flags for what differs from the preset (none: an empty name), or else
/// from the model's defaults, and --set for fields that have no flag of their own. `model` is that of plan.model.
QString plan_command(const TrainingPlan& plan, const ModelConfig& model, const std::string& preset);

}  // namespace carryover
