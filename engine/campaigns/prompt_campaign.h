// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/campaign_engine.h"
#include "engine/campaigns/kernel/campaign.h"
#include "engine/campaigns/kernel/campaign_folder.h"
#include "engine/campaigns/prompts/prompt_results.h"
#include "engine/runs/records/run_reader.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The request that `carryover run --prompts` runs. A plain value.
struct PromptRequest {
  std::string model, adapter;
  std::string prompts;  ///< the file
  std::string against;  ///< a control of run_prefix_names() that each example is run under too; empty: none
  std::string out;
  bool parse_special = false, overwrite = false, carry_maps = false;
  std::vector<std::string> command_line;  ///< for the records of the runs
};

/// Runs each example of a prompt set into a run folder under `out`, and writes prompts.json, prompts.csv, slices.csv
/// and table.md from those folders, anew about every second. An example that is finished, with the same run id, is
/// measured and not run again. One that fails is recorded with its error. One thread.
class PromptCampaign final : public Campaign {
 public:
  /// Request, settings and observer outlive it. Throws EngineError{Usage, BadInput, Io}: Usage where another process
  /// runs prompts there, or the folder has files of somebody else.
  PromptCampaign(const PromptRequest& request, const RunSettings& settings, CampaignObserver& observer);

  /// Loads the model and runs the examples. Returns false where it was stopped. Throws EngineError{Cancelled} where it
  /// was stopped before the model was loaded, and as Session::run() does.
  bool run(RunControl& control);
  /// Returns the contents of prompts.json, of the examples so far. Call it after run().
  nlohmann::json results() const;
  bool failed() const;  ///< true if an example did

 private:
  std::size_t cells() const override { return examples_.size(); }
  bool is_done(std::size_t /*cell*/) const override { return false; }  // each is measured
  bool is_stopped() const override { return control_->stop_requested(); }
  void start_cell(std::size_t cell) override;
  void run_cell(std::size_t cell) override;
  bool record_failure(std::size_t cell, const EngineError& error) override;
  void end_cell(std::size_t cell) override;

  PromptResult run_example(const PromptExample& example);
  void put_bos_first(PromptTokens& tokens) const;
  PromptMeasures measured(const RunSettings& settings, const PromptExample& example, const std::string& folder,
                          const PromptTokens& tokens);
  bool is_finished(const std::string& path, const RunDescription& description) const;
  void record(const std::string& path, const RunDescription& description);
  void write_tables() const;

  using Clock = std::chrono::steady_clock;
  const PromptRequest& request_;
  const RunSettings& settings_;
  CampaignObserver& observer_;
  CampaignFolder folder_;
  std::vector<PromptExample> examples_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  RunControl* control_ = nullptr;
  std::unique_ptr<Session> session_;
  std::vector<PromptResult> results_;
  Clock::time_point next_tables_;
};

}  // namespace carryover
