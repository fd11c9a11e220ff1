// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

// LongBench and LongBench-E (THUDM/LongBench 2e00731). SampleRequest::data is a folder with the sets (hotpotqa.jsonl,
// of E hotpotqa_e.jsonl), or with them in data/, and with the project's dataset2prompt.json, which may be in config/ or
// LongBench/config/; dataset2maxlen.json, if there, has to name the numbers of tokens that the tasks have. A prompt of
// more than `length` less the tokens to write loses its middle. Scores are shares, where eval.py prints percent. A
// prediction is a line of pred.py's files, which eval.py reads. Any thread.

/// "longbench/narrativeqa", …: all sets but the three whose scores need Chinese word segmentation (jieba).
std::vector<std::string> longbench_task_names();
/// "longbench_e/qasper", …; slices are bins of `length`.
std::vector<std::string> longbench_e_task_names();

/// Throws EngineError{Usage} listing what there is, {Unsupported} for the three others.
std::unique_ptr<Task> make_longbench_task(const std::string& name);
std::unique_ptr<Task> make_longbench_e_task(const std::string& name);

/// The paper's category of each English set and of code: {"hotpotqa", "Multi-Doc QA"}.
std::map<std::string, std::string> longbench_categories();

struct LongBenchAverage {
  std::map<std::string, double> categories;  ///< the mean of a category's sets that have a score
  double average = 0;                        ///< the mean of the categories that have one; 0 without any
  std::vector<std::string> missing;          ///< sets with a category and without a score
};

/// The paper's average. Keys are sets, or tasks of either benchmark ("longbench_e/hotpotqa"); others are left out.
LongBenchAverage longbench_average(const std::map<std::string, double>& scores);

}  // namespace carryover
