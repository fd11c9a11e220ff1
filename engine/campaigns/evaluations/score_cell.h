// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaigns/evaluations/sample_journal.h"
#include "engine/campaigns/evaluations/score_interval.h"
#include "engine/tasks/base/task.h"

namespace carryover {

/// Samples of a cell that have one slice: "depth 50%".
struct SliceScore {
  std::string slice;
  std::size_t samples = 0, failures = 0;  ///< `samples` does not count those that failed
  std::optional<double> score;            ///< of the task's metric
};

/// The scores of a slice's samples that did not fail. A plain value.
struct SliceSamples {
  std::string slice;
  std::vector<Scores> scores;
  std::size_t failures = 0;
};
/// Returns the slices in the order in which they come first. Pure; any thread.
std::vector<SliceSamples> slices_of(const std::vector<SampleEntry>& entries);

/// A task at a length under a policy, as far as it has got. A plain value.
struct ScoreCell {
  std::string policy, task;
  std::int64_t length = 0;  ///< tokens; 0: samples are as long as they are
  TaskKind kind = TaskKind::Generation;
  std::string metric;  ///< the metric that tables show; empty where none is known
  bool higher_is_better = true;
  bool done = false;  ///< all of its samples
  std::vector<SampleEntry> entries;
  std::size_t failures = 0;  ///< of the entries
  std::map<std::string, ScoreInterval> scores;
  std::vector<SliceScore> slices;                      ///< in the order in which they come first
  std::int64_t visible_bytes = 0, resident_bytes = 0;  ///< the largest attention-visible and resident KV
  double prefill_seconds = 0, decode_seconds = 0;      ///< means of a sample; 0 without one
  const ScoreInterval* score() const;                  ///< of the metric; null where there is none
};

/// Returns make_task(name), or, where the task's file is not on this machine, a task that aggregates by means. That
/// task's metric is the first score of `entries`.
std::unique_ptr<const Task> task_for_scores(const std::string& name, const std::vector<SampleEntry>& entries);

/// Computes the cell's other fields from its entries. `task`: from task_for_scores(). Throws EngineError{BadInput}
/// where the scores are not those of the task: a journal may come from anybody.
void measure_cell(ScoreCell& cell, const Task& task);

/// Returns true if a sample failed or has less than the full score; always false for perplexity.
bool is_wrong(const ScoreCell& cell, const SampleEntry& entry);

}  // namespace carryover
