// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/campaign_engine.h"
#include "engine/campaigns/evaluations/evaluated_samples.h"
#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/evaluations/sample_journal.h"
#include "engine/campaigns/kernel/campaign.h"
#include "engine/campaigns/kernel/campaign_folder.h"
#include "engine/campaigns/sample_asker.h"

namespace carryover {

/// Runs the samples of an evaluation that are not done, policy by policy, task by task, length by length, and keeps its
/// folder up to date: a journal of samples after each, results and tables after each policy. A cell is a task at a
/// length under a policy, a group a policy; the samples of a cell are the cells of another loop. One thread.
class EvaluationCampaign final : public Campaign {
 public:
  /// `observer` outlives it. Throws EngineError{Usage} where the folder holds another evaluation or another process
  /// runs it, {Io, BadInput}.
  EvaluationCampaign(const EvaluationPlan& asked, const std::string& out, int threads, EvaluationChat chat,
                     CampaignObserver& observer);

  /// Returns false where it was stopped. A sample that fails is recorded, and the others are run.
  bool run(RunControl& control);
  std::int64_t samples() const { return samples_; }                     ///< finished samples, over all policies
  std::int64_t failures() const { return failures_; }                   ///< of them
  const std::vector<std::string>& results() const { return results_; }  ///< files, of policies that are done

 private:
  class Samples;
  struct Cell {
    std::size_t group = 0;     ///< index of the policy
    std::string policy, task;  ///< names
    std::int64_t length = 0;
    std::string title() const { return policy + ", " + cell_title(task, length); }
  };
  std::size_t cells() const override { return cells_.size(); }
  std::size_t group_of(std::size_t cell) const override { return cells_[cell].group; }
  bool is_done(std::size_t cell) const override;
  void run_cell(std::size_t cell) override;
  bool record_failure(std::size_t /*cell*/, const EngineError& /*error*/) override { return false; }
  void finish_group(std::size_t group, bool worked) override;

  std::string results_of(const std::string& policy) const;
  std::string run_samples(const Cell& cell, const std::vector<TaskSample>& samples, SampleJournal& journal,
                          const std::string& lines);
  void write_predictions(const Cell& cell, const std::vector<TaskSample>& samples,
                         const std::vector<SampleEntry>& entries);
  SampleAsker asker(const std::string& policy) const;
  void count_time(const Cell& cell, const SampleEntry& entry, std::size_t choices);
  void write_results(const std::string& policy);
  void count(const nlohmann::json& cell);
  Session& session();
  void remember_model(const ModelInfo& model);
  const Task& task(const std::string& name);
  double expected_of(const Cell& cell, std::int64_t tokens, std::size_t choices);
  std::string time_left(const Cell& cell, std::size_t left, std::size_t count);

  int threads_;
  EvaluationChat chat_;
  CampaignObserver& observer_;
  CampaignFolder folder_;
  EvaluationPlan plan_;
  ModelConfig model_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  RunControl* control_ = nullptr;
  std::map<std::string, std::unique_ptr<const Task>> tasks_;
  std::vector<Cell> cells_;
  std::unique_ptr<Session> session_;
  std::vector<nlohmann::json> done_;  ///< results of the policy's cells so far
  std::vector<std::string> results_;
  std::int64_t samples_ = 0, failures_ = 0;
  double measured_ = 0, expected_ = 0;  ///< seconds of this process's samples
  double last_expected_ = 0;            ///< of the sample before
  std::int64_t last_tokens_ = 0;
};

}  // namespace carryover
