// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "engine/runs/values/model_info.h"
#include "engine/training/records/training_plan.h"
#include "engine/training/records/training_values.h"

namespace carryover {

/// Returns the result of a dry run: one step's measures beside the estimate that needed no model.
nlohmann::json dry_run_json(const TrainingPlan& plan, const ModelInfo& model, const StepRecord& step);
/// Returns the same as a table, for people.
std::string dry_run_text(const nlohmann::json& report);

nlohmann::json training_summary_json(const TrainingSummary& summary);
std::string training_summary_text(const TrainingSummary& summary);

/// Returns "step 12 of 150, loss 2.345, 812 tokens/s"; with distillation, its loss stands behind the other one.
std::string step_text(const StepRecord& record, std::int64_t max_steps);
/// Returns "validation after step 100: perplexity 12.3 at 1024 tokens, 12.1 at 4096".
std::string validation_text(const ValidationRecord& record);

/// Returns the first lines of a training or dry run: the model, its form in memory and its device.
std::string training_text(const TrainingPlan& plan, const ModelInfo& model, std::int64_t train_tokens,
                          std::int64_t held_out_tokens);

}  // namespace carryover
