// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/evaluations/sample_journal.h"
#include "engine/runs/values/model_info.h"
#include "engine/tasks/base/task.h"

namespace carryover {

/// The samples of a task at a length under a policy, once they are done.
struct CellSamples {
  std::string task;           ///< name
  std::int64_t length = 0;    ///< tokens; 0: samples are as long as they are
  std::size_t available = 0;  ///< samples that the task has, of which the first entries.size() were run
  std::vector<SampleEntry> entries;
};

/// Returns everything that results say of a cell: each score with its standard error and 95 % interval, also by slice;
/// tokens, times, bytes of keys and values, losses by place. Samples that failed are counted and have no score.
/// `task_hash`: the hash of the hashes of its lines (sample_lines.h). Pure; any thread.
nlohmann::json cell_results(const Task& task, const CellSamples& cell, const std::string& task_hash);

/// The facts about the evaluated model that the plan does not have.
struct EvaluatedModel {
  ModelInfo info;
  std::string tokenizer_hash;
  std::string bos, eos;       ///< spelled; empty where there is none
  std::string chat_template;  ///< its text; empty where prompts stand bare
};

/// Returns the contents of results_<time>.json: the keys that lm-evaluation-harness 0.4.13 writes, and under
/// "carryover" the cells with everything else. `cells`: values of cell_results(), at least one. It names files, never
/// paths. Pure; any thread.
nlohmann::json evaluation_results(const EvaluationPlan& plan, const std::string& policy, const EvaluatedModel& model,
                                  const std::vector<nlohmann::json>& cells);

}  // namespace carryover
