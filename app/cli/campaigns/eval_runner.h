// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/campaigns/eval_answer.h"
#include "engine/base/run_control.h"
#include "engine/campaigns/evaluations/evaluated_samples.h"
#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/evaluations/sample_journal.h"

namespace carryover {

class FolderLock;
class ProgressLine;

/// Runs the samples of an evaluation that are not done, policy by policy, task by task, length by length, and keeps its
/// folder up to date: a journal of samples after each, results and tables after each policy. One thread.
class EvalRunner {
 public:
  /// `progress` outlives it. Throws EngineError{Usage} where the folder holds another evaluation or another process
  /// runs it, {Io, BadInput}.
  EvalRunner(const EvaluationPlan& asked, const std::string& out, int threads, EvaluationChat chat,
             ProgressLine& progress);
  ~EvalRunner();

  /// Returns false where it was stopped. A sample that fails is recorded, and the others are run.
  bool run();
  std::int64_t samples() const { return samples_; }                     ///< finished samples, over all policies
  std::int64_t failures() const { return failures_; }                   ///< of them
  const std::vector<std::string>& results() const { return results_; }  ///< files, of policies that are done

 private:
  struct Stopped {};
  struct Cell {
    std::string policy, task;  ///< names
    std::int64_t length = 0;
  };
  void run_policy(const std::string& policy);
  nlohmann::json run_cell(const SampleAsker& asker, const Cell& cell);
  std::string run_samples(const SampleAsker& asker, const Cell& cell, const std::vector<TaskSample>& samples,
                          SampleJournal& journal, const std::string& lines);
  void write_predictions(const Cell& cell, const std::vector<TaskSample>& samples,
                         const std::vector<SampleEntry>& entries);
  SampleEntry run_sample(const SampleAsker& asker, const Cell& cell, const TaskSample& sample, AskedSample& asked);
  SampleEntry entry_of(const SampleAsker& asker, const Task& task, const TaskSample& sample, AskedSample& asked);
  void write_results(const std::string& policy, const std::vector<nlohmann::json>& cells);
  void write_tables() const;
  void count(const nlohmann::json& cell);
  Session& session();
  void remember_model(const ModelInfo& model);
  const Task& task(const std::string& name);
  double expected_of(const Cell& cell, std::int64_t tokens, std::size_t choices);
  std::string time_left(const Cell& cell, std::size_t left, std::size_t count);

  std::string out_;
  int threads_;
  EvaluationChat chat_;
  ProgressLine& progress_;
  std::unique_ptr<const FolderLock> lock_;
  EvaluationPlan plan_;
  ModelConfig model_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  RunControl control_;
  std::map<std::string, std::unique_ptr<const Task>> tasks_;
  std::vector<Cell> cells_;  ///< in the order in which they are run
  std::unique_ptr<Session> session_;
  std::vector<std::string> results_;
  std::int64_t samples_ = 0, failures_ = 0;
  double measured_ = 0, expected_ = 0;  ///< seconds of this process's samples
  double last_expected_ = 0;            ///< of the sample before
  std::int64_t last_tokens_ = 0;
};

}  // namespace carryover
