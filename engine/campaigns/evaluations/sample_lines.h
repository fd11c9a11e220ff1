// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/campaigns/evaluations/sample_journal.h"
#include "engine/tasks/base/task.h"

namespace carryover {

/// Returns a line of samples_<task>_<time>.jsonl as lm-evaluation-harness 0.4.13 writes it: doc, target, arguments,
/// resps, hashes and the sample's scores; for a sample that failed, its "error" and no responses. `prompt`: the text in
/// front of answers and choices; perplexity texts, which are ids, have the sample's id in its place. Pure; any thread.
nlohmann::json sample_line(const Task& task, std::size_t index, const TaskSample& sample, const std::string& prompt,
                           const SampleEntry& entry);

/// Hashes all of a task's lines in their order: add() each line, then call hex().
class TaskHash {
 public:
  void add(const nlohmann::json& line);
  std::string hex() const;

 private:
  std::string hashes_;
};

/// Returns the "doc" of a sample's line: the line of the official format, or the sample's own fields where it has none.
nlohmann::json sample_document(const TaskSample& sample);

}  // namespace carryover
