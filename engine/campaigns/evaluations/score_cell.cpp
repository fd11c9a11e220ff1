// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/score_cell.h"

#include <algorithm>

#include "engine/base/current_error.h"
#include "engine/tasks/task_table.h"

namespace carryover {

namespace {

/// Stands in for the task of a file of samples that is not on this machine.
class AbsentTask final : public Task {
 public:
  AbsentTask(const std::string& name, const std::vector<SampleEntry>& entries) {
    info_.name = name;
    for (const SampleEntry& entry : entries) {
      if (entry.scores.empty()) continue;
      info_.metric = entry.scores.begin()->first;
      if (!entry.loglikelihoods.empty()) info_.kind = TaskKind::Choice;
      break;
    }
  }
  const TaskInfo& info() const override { return info_; }
  std::vector<TaskSample> samples(const SampleRequest& /*request*/) const override {
    throw EngineError(Fault::Io, info_.name, "is not on this machine", "Copy the file there, or evaluate another one.");
  }
  Scores score(const TaskSample& /*sample*/, const TaskAnswer& /*answer*/) const override { return {}; }

 private:
  TaskInfo info_;
};

std::vector<SliceScore> slice_scores(const ScoreCell& cell, const Task& task) {
  std::vector<SliceScore> slices;
  for (const SliceSamples& samples : slices_of(cell.entries)) {
    SliceScore slice{samples.slice, samples.scores.size(), samples.failures, {}};
    if (!samples.scores.empty()) {
      const Scores all = task.aggregate(samples.scores);
      if (const auto found = all.find(cell.metric); found != all.end()) slice.score = found->second;
    }
    slices.push_back(std::move(slice));
  }
  return slices;
}

void measure_scores(ScoreCell& cell, const Task& task) {
  std::vector<Scores> scores;
  for (const SampleEntry& entry : cell.entries)
    if (entry.error.empty()) scores.push_back(entry.scores);
  cell.scores = score_intervals(task, scores);
  cell.slices = slice_scores(cell, task);
}

}  // namespace

std::vector<SliceSamples> slices_of(const std::vector<SampleEntry>& entries) {
  std::vector<SliceSamples> slices;
  std::map<std::string, std::size_t> places;
  for (const SampleEntry& entry : entries) {
    if (entry.slice.empty()) continue;
    const auto [place, added] = places.try_emplace(entry.slice, slices.size());
    if (added) slices.push_back({entry.slice, {}, 0});
    SliceSamples& slice = slices[place->second];
    if (entry.error.empty())
      slice.scores.push_back(entry.scores);
    else
      ++slice.failures;
  }
  return slices;
}

const ScoreInterval* ScoreCell::score() const {
  const auto found = scores.find(metric);
  return found == scores.end() ? nullptr : &found->second;
}

std::unique_ptr<const Task> task_for_scores(const std::string& name, const std::vector<SampleEntry>& entries) {
  try {
    return make_task(name);
  } catch (const EngineError&) {
    return std::make_unique<AbsentTask>(name, entries);
  }
}

void measure_cell(ScoreCell& cell, const Task& task) {
  const TaskInfo& info = task.info();
  cell.kind = info.kind;
  cell.metric = info.metric;
  cell.higher_is_better = info.higher_is_better;
  double prefill = 0, decode = 0;
  for (const SampleEntry& entry : cell.entries) {
    if (!entry.error.empty()) {
      ++cell.failures;
      continue;
    }
    cell.visible_bytes = std::max(cell.visible_bytes, entry.visible_bytes);
    cell.resident_bytes = std::max(cell.resident_bytes, entry.resident_bytes);
    prefill += entry.prefill_seconds;
    decode += entry.decode_seconds;
  }
  if (const auto answered = static_cast<double>(cell.entries.size() - cell.failures); answered > 0) {
    cell.prefill_seconds = prefill / answered;
    cell.decode_seconds = decode / answered;
  }
  try {
    measure_scores(cell, task);
  } catch (...) {  // a task takes the scores that it gave
    throw EngineError(Fault::BadInput, cell.task, std::string("has scores of another task: ") + current_error().what(),
                      "Use a folder that `carryover eval` wrote.");
  }
}

bool is_wrong(const ScoreCell& cell, const SampleEntry& entry) {
  if (!entry.error.empty()) return true;
  const auto found = entry.scores.find(cell.metric);
  return cell.kind != TaskKind::Perplexity && found != entry.scores.end() && found->second < 1;
}

}  // namespace carryover
