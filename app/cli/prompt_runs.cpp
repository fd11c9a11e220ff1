// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/prompt_runs.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/noted_tokenizer.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recorded_run.h"
#include "app/cli/verbs.h"
#include "engine/api/engine_library.h"
#include "engine/base/current_error.h"
#include "engine/campaigns/experiments/prompt_results.h"
#include "engine/config/head_reads.h"
#include "engine/data/prompt_set.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_id.h"
#include "engine/runs/records/run_reader.h"
#include "engine/tokenizers/tokenizer.h"

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

class PromptRuns {
 public:
  PromptRuns(const PromptRequest& request, const RunSettings& settings)
      : request_(request),
        settings_(settings),
        examples_(read_prompt_set(request.prompts)),
        tokenizer_(load_tokenizer(request.model)),
        progress_(request.quiet),
        interrupt_(control_) {}

  /// False where it was stopped; results() are then those of the examples before. `ran_one` is called after each.
  bool run(const std::function<void()>& ran_one) {
    session_ =
        load_session({request_.model, settings_.dtype, settings_.device, settings_.threads, false, request_.adapter},
                     [&](double fraction, const std::string& what) {
                       control_.checkpoint();
                       progress_.loading(fraction, what);
                     });
    if (settings_.config.question_pass && retrieves(settings_.config, session_->model().config))
      progress_.note(
          "question_pass does not apply to prompt sets: each segment reads what the queries of the previous segment "
          "found; `carryover eval` asks questions");
    for (const PromptExample& example : examples_) {
      if (control_.stop_requested()) return false;
      progress_.note("example " + std::to_string(results_.size() + 1) + " of " + std::to_string(examples_.size()) +
                     ": " + example.name);
      try {
        results_.push_back(run_example(example));
      } catch (...) {
        const EngineError error = current_error();
        if (error.fault() == Fault::Usage) throw;  // of the command, not of the example
        if (error.fault() == Fault::Cancelled) return false;
        results_.push_back({example.name, example.tags, {}, {}, {}, {}, error.what()});
        progress_.note(error.what());
      }
      ran_one();
    }
    return true;
  }

  bool failed() const {
    return std::ranges::any_of(results_, [](const PromptResult& result) { return !result.error.empty(); });
  }

  json results() const {
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
                {"command_line", command_line()},
                {"environment", environment_json(model)}});
    return all;
  }

 private:
  PromptResult run_example(const PromptExample& example) {
    PromptTokens tokens = prompt_tokens(example, *tokenizer_, request_.parse_special);
    if (settings_.config.bos) put_bos_first(tokens);
    PromptResult result{example.name, example.tags, "examples/" + folder_name(example), {}, {}, {}, {}};
    result.own = measured(settings_, example, result.folder, tokens);
    if (request_.against.empty()) return result;
    result.against_folder = request_.against + "/" + folder_name(example);
    result.against = measured(under_control(settings_, request_.against), example, result.against_folder, tokens);
    return result;
  }

  void put_bos_first(PromptTokens& tokens) const {
    if (!tokenizer_->bos()) throw EngineError(Fault::BadInput, request_.model, "has no BOS token", "Leave out --bos.");
    tokens.ids.insert(tokens.ids.begin(), *tokenizer_->bos());
    const auto shift = [](TokenRange& range) { range = {range.first + 1, range.last + 1}; };
    if (tokens.answer.last > 0) shift(tokens.answer);
    for (TokenRange& target : tokens.targets) shift(target);
  }

  /// Returns the measures of the run's folder, and makes the run first where the folder has not got it.
  PromptMeasures measured(const RunSettings& settings, const PromptExample& example, const std::string& folder,
                          const PromptTokens& tokens) {
    RunDescription description = describe_run(
        settings, tokens.ids, request_.prompts + ":" + std::to_string(example.line), session_->model().config);
    description.model = session_->model();
    description.command_line = command_line();
    description.request.capture = {.carry_maps = request_.carry_maps};
    const std::string path = path_in(request_.out, folder);
    if (!is_finished(path, description)) record(path, description);
    return measure_prompt(reopen_run(path), tokens);
  }

  /// Throws EngineError{Usage} where the folder holds another run.
  bool is_finished(const std::string& path, const RunDescription& description) const {
    if (request_.overwrite || !is_run_folder(path)) return false;
    const RunContents there = reopen_run(path);
    if (there.description.id != run_id(description.model, description.request))
      throw EngineError(Fault::Usage, path, "holds another run", "Choose another folder, or add --overwrite.");
    return !there.summary.cancelled;
  }

  void record(const std::string& path, const RunDescription& description) {
    const bool is_run = std::filesystem::exists(path_in(path, "config.json"));  // one of another kind is refused
    RunFolder folder(path, description, request_.overwrite || is_run);
    progress_.restart();
    RunRecorder recorder(&folder, progress_, control_, std::ssize(*description.request.ids));
    const RunSummary summary = session_->run(description.request, recorder, control_);
    recorder.rethrow();
    folder.finish(summary);
    progress_.clear();
    if (summary.cancelled)
      throw EngineError(Fault::Cancelled, path, "was stopped", "Run the same command to continue.");
  }

  const PromptRequest& request_;
  const RunSettings& settings_;
  std::vector<PromptExample> examples_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  RunControl control_;
  ProgressLine progress_;
  InterruptWatch interrupt_;
  std::unique_ptr<Session> session_;
  std::vector<PromptResult> results_;
};

void require_whole_examples(const PromptRequest& request, const RunSettings& settings) {
  const auto refuse = [](const char* problem, const char* advice) {
    throw EngineError(Fault::Usage, "--prompts", problem, advice);
  };
  if (request.out.empty()) refuse("needs a folder for its runs", "Add --out DIR.");
  if (settings.tokens) refuse("runs every example whole", "Leave out --tokens.");
  if (!settings.force_hits.empty()) refuse("has another text in each example", "Leave out --force-hits.");
  if (!request.against.empty() && settings.policy != "segmented")
    refuse("compares retrieval with a control", "Use --policy segmented, or leave out --against.");
}

/// Refuses a folder whose files would be replaced, unless they are an earlier set's or the user allows it.
void refuse_files_of_others(const PromptRequest& request) {
  const auto there = find_json_file(path_in(request.out, "prompts.json"), JsonKind::Results);
  const bool is_set = there && there->is_object() && there->contains("examples") && there->contains("slices");
  if (!is_set && !request.overwrite)
    require_free_names(request.out, {"prompts.json", "prompts.csv", "slices.csv", "table.md"});
}

/// Writes the tables of the examples that have been run so far.
void write_tables(const std::string& folder, const json& results) {
  const auto write = [&](const char* name, const std::string& text) {
    write_file_atomically(path_in(folder, name), text);
  };
  write("prompts.json", json_text(results, 2) + "\n");
  write("prompts.csv", prompt_examples_csv(results));
  write("slices.csv", prompt_slices_csv(results));
  write("table.md", prompt_table(results));
}

}  // namespace

int run_prompts(const PromptRequest& request, const RunSettings& settings) {
  require_whole_examples(request, settings);
  make_folder(request.out, "Choose another folder (--out).");
  refuse_files_of_others(request);
  const FolderLock lock(request.out);
  PromptRuns runs(request, settings);
  using Clock = std::chrono::steady_clock;
  Clock::time_point next;
  const bool complete = runs.run([&] {  // for whoever looks on; the window does
    if (Clock::now() < next) return;
    const Clock::time_point begin = Clock::now();
    write_tables(request.out, runs.results());
    next = Clock::now() + std::max<Clock::duration>(std::chrono::seconds(1), 20 * (Clock::now() - begin));
  });
  const json results = runs.results();
  write_tables(request.out, results);
  print(request.json ? json_text(results, 2) + "\n" : prompt_table(results) + "written    " + request.out + "\n");
  return !complete ? kExitStopped : runs.failed() ? kExitFailure : kExitOk;
}

}  // namespace carryover
