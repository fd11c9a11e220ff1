// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/prompt_campaign.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/config/head_reads.h"
#include "engine/data/prompt_set.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/run_id.h"
#include "engine/runs/records/run_reader.h"
#include "engine/tokenizers/noted_tokenizer.h"
#include "engine/tokenizers/token_checks.h"

namespace carryover {

namespace {

using nlohmann::json;

/// "0007-first-letter": its line, by which folders sort, and what file systems take of its name.
std::string folder_name(const PromptExample& example) {
  constexpr std::size_t kMostLetters = 40, kDigits = 4;
  const std::string line = std::to_string(example.line);
  std::string name = std::string(kDigits - std::min(kDigits, line.size()), '0') + line;
  if (example.name == line) return name;
  name += '-';
  for (const char letter : example.name.substr(0, kMostLetters))
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ? letter : '-';
  return name;
}

RunSettings under_control(RunSettings settings, const std::string& prefix) {
  settings.prefix = prefix;
  if (prefix == "off") settings.config.retrieval_length = 0;
  return settings;
}

/// Returns the request if it runs examples whole.
const PromptRequest& checked(const PromptRequest& request, const RunSettings& settings) {
  const auto refuse = [](const char* problem, const char* advice) {
    throw EngineError(Fault::Usage, "--prompts", problem, advice);
  };
  if (request.out.empty()) refuse("needs a folder for its runs", "Add --out DIR.");
  if (settings.tokens) refuse("runs every example whole", "Leave out --tokens.");
  if (!settings.force_hits.empty()) refuse("has another text in each example", "Leave out --force-hits.");
  if (!request.against.empty() && settings.policy != "segmented")
    refuse("compares retrieval with a control", "Use --policy segmented, or leave out --against.");
  return request;
}

/// Returns true if the folder's files are an earlier set's, or the user allows to replace them.
bool may_replace(const PromptRequest& request) {
  const auto there = find_json_file(path_in(request.out, "prompts.json"), JsonKind::Results);
  return request.overwrite || (there && there->is_object() && there->contains("examples") && there->contains("slices"));
}

}  // namespace

PromptCampaign::PromptCampaign(const PromptRequest& request, const RunSettings& settings, CampaignObserver& observer)
    : request_(checked(request, settings)),
      settings_(settings),
      observer_(observer),
      folder_(request.out, may_replace(request), {"prompts.json", "prompts.csv", "slices.csv", "table.md"}),
      examples_(read_prompt_set(request.prompts)),
      tokenizer_(load_tokenizer(request.model)) {}

bool PromptCampaign::run(RunControl& control) {
  control_ = &control;
  session_ =
      open_session({request_.model, settings_.dtype, settings_.device, settings_.threads, false, request_.adapter},
                   observer_, control);
  if (settings_.config.question_pass && retrieves(settings_.config, session_->model().config))
    observer_.note(
        "question_pass does not apply to prompt sets: each segment reads what the queries of the previous segment "
        "found; `carryover eval` asks questions");
  const bool complete = run_campaign(*this);
  write_tables();
  return complete;
}

void PromptCampaign::start_cell(std::size_t cell) {
  observer_.note("example " + std::to_string(cell + 1) + " of " + std::to_string(examples_.size()) + ": " +
                 examples_[cell].name);
}

void PromptCampaign::run_cell(std::size_t cell) {
  results_.push_back(run_example(examples_[cell]));
}

bool PromptCampaign::record_failure(std::size_t cell, const EngineError& error) {
  if (error.fault() == Fault::Usage) return false;  // of the command, not of the example
  results_.push_back({examples_[cell].name, examples_[cell].tags, {}, {}, {}, {}, error.what()});
  observer_.note(error.what());
  return true;
}

/// For whoever looks on; the window does.
void PromptCampaign::end_cell(std::size_t /*cell*/) {
  const Clock::time_point begin = Clock::now();
  if (begin < next_tables_) return;
  write_tables();
  const Clock::time_point end = Clock::now();
  next_tables_ = end + std::max<Clock::duration>(std::chrono::seconds(1), 20 * (end - begin));
}

void PromptCampaign::write_tables() const {
  const json all = results();
  folder_.write("prompts.json", json_text(all, 2) + "\n");
  folder_.write("prompts.csv", prompt_examples_csv(all));
  folder_.write("slices.csv", prompt_slices_csv(all));
  folder_.write("table.md", prompt_table(all));
}

bool PromptCampaign::failed() const {
  return std::ranges::any_of(results_, [](const PromptResult& result) { return !result.error.empty(); });
}

json PromptCampaign::results() const {
  json all = prompt_results_json(results_);
  const ModelInfo& model = session_->model();
  all.update({{"prompts", request_.prompts},
              {"complete", results_.size() == examples_.size()},
              {"model", model.config.name},
              {"model_path", model.path},
              {"adapter", model.adapter.empty() ? json() : json(model.adapter)},
              {"weights_hash", model.weights_hash},
              {"policy", settings_.policy},
              {"dtype", dtype_name(model.dtype)},
              {"device", device_name(model.device)},
              {"seed", settings_.seed},
              {"prefix", settings_.prefix},
              {"against", request_.against.empty() ? json() : json(request_.against)},
              {"config", settings_.config},
              {"command_line", request_.command_line},
              {"environment", environment_json(model)}});
  return all;
}

PromptResult PromptCampaign::run_example(const PromptExample& example) {
  PromptTokens tokens = prompt_tokens(example, *tokenizer_, request_.parse_special);
  if (settings_.config.bos) put_bos_first(tokens);
  PromptResult result{example.name, example.tags, "examples/" + folder_name(example), {}, {}, {}, {}};
  result.own = measured(settings_, example, result.folder, tokens);
  if (request_.against.empty()) return result;
  result.against_folder = request_.against + "/" + folder_name(example);
  result.against = measured(under_control(settings_, request_.against), example, result.against_folder, tokens);
  return result;
}

void PromptCampaign::put_bos_first(PromptTokens& tokens) const {
  if (!carryover::put_bos_first(tokens.ids, *tokenizer_, request_.model)) return;
  const auto shift = [](TokenRange& range) { range = {range.first + 1, range.last + 1}; };
  if (tokens.answer.last > 0) shift(tokens.answer);
  for (TokenRange& target : tokens.targets) shift(target);
}

/// Returns the measures of the run's folder, and makes the run first where the folder has not got it.
PromptMeasures PromptCampaign::measured(const RunSettings& settings, const PromptExample& example,
                                        const std::string& folder, const PromptTokens& tokens) {
  RunDescription description = describe_run(settings, tokens.ids, request_.prompts + ":" + std::to_string(example.line),
                                            session_->model().config);
  description.model = session_->model();
  description.command_line = request_.command_line;
  description.request.capture = {.carry_maps = request_.carry_maps};
  const std::string path = path_in(request_.out, folder);
  if (!is_finished(path, description)) record(path, description);
  return measure_prompt(reopen_run(path), tokens);
}

/// Throws EngineError{Usage} where the folder holds another run.
bool PromptCampaign::is_finished(const std::string& path, const RunDescription& description) const {
  if (request_.overwrite || !is_run_folder(path)) return false;
  const RunContents there = reopen_run(path);
  if (there.description.id != run_id(description.model, description.request))
    throw EngineError(Fault::Usage, path, "holds another run", "Choose another folder, or add --overwrite.");
  return !there.summary.cancelled;
}

void PromptCampaign::record(const std::string& path, const RunDescription& description) {
  const bool is_run = std::filesystem::exists(path_in(path, "config.json"));  // one of another kind is refused
  RunFolder folder(path, description, request_.overwrite || is_run);
  observer_.restart();
  const RunSummary summary = run_recorded(*session_, description, &folder, observer_, *control_);
  folder.finish(summary);
  if (summary.cancelled) throw_stopped(path);
}

}  // namespace carryover
