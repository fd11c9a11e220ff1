// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/core/run/model_info.h"
#include "engine/evaluations/evaluation_plan.h"
#include "engine/evaluations/sample_journal.h"
#include "engine/tasks/task.h"

namespace carryover {

/// A task at a length under a policy, once its samples are done.
struct CellSamples {
  std::string task;           ///< name
  std::int64_t length = 0;    ///< tokens; 0: samples are as long as they are
  std::size_t available = 0;  ///< samples that the task has, of which the first entries.size() were run
  std::vector<SampleEntry> entries;
};

/// All that results say of it: each score with its standard error and 95 % interval, by slice too, tokens, times, bytes
/// of keys and values, losses by place. Samples that failed are counted and have no score. `task_hash`: of its lines'
/// hashes (sample_lines.h). Pure; any thread.
nlohmann::json cell_results(const Task& task, const CellSamples& cell, const std::string& task_hash);

/// What was evaluated, beside the plan.
struct EvaluatedModel {
  ModelInfo info;
  std::string tokenizer_hash;
  std::string bos, eos;       ///< spelled; empty where there is none
  std::string chat_template;  ///< its text; empty where prompts stand bare
};

/// results_<time>.json: the keys that lm-evaluation-harness 0.4.13 writes, and under "carryover" the cells with all
/// else. `cells`: of cell_results(), at least one. Names files, never paths. Pure; any thread.
nlohmann::json evaluation_results(const EvaluationPlan& plan, const std::string& policy, const EvaluatedModel& model,
                                  const std::vector<nlohmann::json>& cells);

}  // namespace carryover
