// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluation_campaign.h"

#include <filesystem>

#include "engine/base/duration_text.h"
#include "engine/base/error.h"
#include "engine/campaigns/evaluation_forecast.h"
#include "engine/campaigns/evaluations/evaluation_results.h"
#include "engine/campaigns/evaluations/evaluation_table.h"
#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/campaigns/evaluations/sample_lines.h"
#include "engine/checkpoints/model_source.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/tasks/task_table.h"
#include "engine/tokenizers/noted_tokenizer.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void refuse_other_samples(const std::string& path) {
  throw EngineError(Fault::Usage, path, "has other samples than the task has now",
                    "Choose another folder (--out), or restore the task's data.");
}

/// The prompt of a sample that is done, which has to be the one that was asked: data files may have changed since.
AskedSample asked_before(const SampleAsker& asker, const Task& task, const TaskSample& sample, const SampleEntry& entry,
                         const std::string& path) {
  AskedSample asked;
  try {
    asked = asker.asked(task, sample);
  } catch (const EngineError&) {  // a chat template refused it then, too
  }
  if (entry.id != sample.id || entry.prompt_hash != asked.hash) refuse_other_samples(path);
  return asked;
}

/// Returns the cells of a results file that an earlier call wrote.
std::vector<json> cells_in(const std::string& path) {
  const json results = read_json_file(path, JsonKind::Results);
  const json* ours = JsonFields(results, path).find("carryover");
  const json* tasks = ours != nullptr ? JsonFields(*ours, path).find("tasks") : nullptr;
  if (tasks == nullptr || !tasks->is_array())
    throw EngineError(Fault::BadInput, path, "has no list of tasks",
                      "Remove it; it is written again from the samples.");
  return {tasks->begin(), tasks->end()};
}

std::string spelled(const Tokenizer& tokenizer, std::optional<std::int32_t> id) {
  return id ? tokenizer.bytes(*id) : std::string();
}

}  // namespace

/// The samples of a cell. A sample's prompt is made once, for what is left to do of it: its entry in the journal and
/// its line in `lines`.
class EvaluationCampaign::Samples final : public Campaign {
 public:
  Samples(EvaluationCampaign& evaluation, const Cell& cell, const std::vector<TaskSample>& samples,
          SampleJournal& journal, OutputFile& lines)
      : evaluation_(evaluation),
        cell_(cell),
        task_(evaluation.task(cell.task)),
        asker_(evaluation.asker(cell.policy)),
        samples_(samples),
        journal_(journal),
        lines_(lines),
        before_(journal.entries().size()) {
    for (std::size_t i = 0; i < before_; ++i)
      add_line(i, asked_before(asker_, task_, samples_[i], journal_.entries()[i], journal_.path()));
  }
  std::string hash() const { return hash_.hex(); }  ///< of all lines

 private:
  std::size_t cells() const override { return samples_.size(); }
  bool is_done(std::size_t cell) const override { return cell < before_; }
  bool is_stopped() const override { return evaluation_.control_->stop_requested(); }
  void start_cell(std::size_t cell) override {
    const std::size_t count = samples_.size();
    evaluation_.observer_.status(cell_.title() + ": sample " + std::to_string(cell + 1) + " of " +
                                 std::to_string(count) + evaluation_.time_left(cell_, count - cell, count));
    evaluation_.session();
    asked_ = {};
  }
  void run_cell(std::size_t cell) override {
    asked_ = asker_.asked(task_, samples_[cell]);
    entry_ = asker_.answer(evaluation_.session(), task_, samples_[cell], asked_, *evaluation_.control_);
  }
  bool record_failure(std::size_t cell, const EngineError& error) override {
    if (error.fault() == Fault::Usage) return false;  // of the command, not of the sample
    entry_ = {};
    entry_.id = samples_[cell].id;
    entry_.slice = samples_[cell].slice;
    entry_.prompt_hash = asked_.hash;
    entry_.error = error.what();
    evaluation_.observer_.note(cell_.title() + ": sample " + entry_.id + " failed: " + entry_.error);
    return true;
  }
  void end_cell(std::size_t cell) override {
    evaluation_.count_time(cell_, entry_, samples_[cell].choices.size());
    journal_.append(std::move(entry_));
    add_line(cell, asked_);
  }
  void add_line(std::size_t index, const AskedSample& asked) {
    const json line = sample_line(task_, index, samples_[index], asked.text, journal_.entries()[index]);
    hash_.add(line);
    lines_.append(json_text(line) + "\n");
  }

  EvaluationCampaign& evaluation_;
  const Cell& cell_;
  const Task& task_;
  SampleAsker asker_;
  const std::vector<TaskSample>& samples_;
  SampleJournal& journal_;
  OutputFile& lines_;
  std::size_t before_;  ///< number of samples that an earlier start has done
  AskedSample asked_;   ///< of the sample that runs, like the next one; empty where a chat template refuses it
  SampleEntry entry_;
  TaskHash hash_;
};

EvaluationCampaign::EvaluationCampaign(const EvaluationPlan& asked, const std::string& out, int threads,
                                       EvaluationChat chat, CampaignObserver& observer)
    : threads_(threads),
      chat_(std::move(chat)),
      observer_(observer),
      folder_(out, true, {}),
      plan_(begin_evaluation(out, asked)),
      model_(ModelSource::open(plan_.model)->config()),
      tokenizer_(load_tokenizer(plan_.model)) {
  for (std::size_t group = 0; group < plan_.policies.size(); ++group)
    for (const std::string& task : plan_.tasks)
      for (const std::int64_t length : plan_.lengths) cells_.push_back({group, plan_.policies[group], task, length});
}

bool EvaluationCampaign::run(RunControl& control) {
  control_ = &control;
  return run_campaign(*this);
}

std::string EvaluationCampaign::results_of(const std::string& policy) const {
  return results_path(plan_, policy_folder(plan_, folder_.path(), policy));
}

bool EvaluationCampaign::is_done(std::size_t cell) const {
  std::error_code code;
  return fs::exists(results_of(cells_[cell].policy), code);
}

/// Tables are also written for a policy that was done: a kill may have come between its results and the tables.
void EvaluationCampaign::finish_group(std::size_t group, bool worked) {
  const std::string& policy = plan_.policies[group];
  if (worked)
    write_results(policy);
  else
    for (const json& cell : cells_in(results_of(policy))) count(cell);
  results_.push_back(results_of(policy));
  const std::vector<ResultsFile> files = read_results(folder_.path());
  folder_.write_tables([&](TableFormat format) { return evaluation_table(files, format); });
}

void EvaluationCampaign::count(const json& cell) {
  const JsonFields fields(cell, "results");
  failures_ += fields.integer("failures");
  samples_ += fields.integer("n") + fields.integer("failures");
}

const Task& EvaluationCampaign::task(const std::string& name) {
  std::unique_ptr<const Task>& task = tasks_[name];
  if (!task) task = make_task(name);
  return *task;
}

void EvaluationCampaign::run_cell(std::size_t index) {
  const Cell& cell = cells_[index];
  const Task& task = this->task(cell.task);
  const std::string folder = policy_folder(plan_, folder_.path(), cell.policy), key = cell_key(cell.task, cell.length);
  make_folder(folder);
  observer_.status("making samples of " + cell_title(cell.task, cell.length));
  std::vector<TaskSample> samples = task.samples(sample_request(plan_, cell.task, cell.length, tokenizer_));
  const std::size_t available = samples.size();
  samples.resize(samples_to_run(plan_, available));
  SampleJournal journal(journal_path(folder, key));
  const std::string hash = run_samples(cell, samples, journal, sample_lines_path(plan_, folder, key));
  if (!task.info().predictions.empty()) write_predictions(cell, samples, journal.entries());
  done_.push_back(cell_results(task, {cell.task, cell.length, available, journal.entries()}, hash));
  count(done_.back());
}

/// Returns the hash of all lines.
std::string EvaluationCampaign::run_samples(const Cell& cell, const std::vector<TaskSample>& samples,
                                            SampleJournal& journal, const std::string& lines) {
  const std::size_t before = journal.entries().size();
  if (before > samples.size()) refuse_other_samples(journal.path());
  if (before < samples.size()) observer_.note(cell.title() + ": " + std::to_string(samples.size()) + " samples");
  remove_unfinished(lines);
  std::string hash;
  write_atomically(lines, [&](OutputFile& file) {
    Samples left(*this, cell, samples, journal, file);
    run_cells(left);
    hash = left.hash();
  });
  observer_.clear();
  return hash;
}

/// Writes the predictions of the samples that were answered: the scorer counts no sample where a line is missing, as
/// this program's score does.
void EvaluationCampaign::write_predictions(const Cell& cell, const std::vector<TaskSample>& samples,
                                           const std::vector<SampleEntry>& entries) {
  const Task& task = this->task(cell.task);
  const std::string path = predictions_path(plan_, folder_.path(), cell.policy, task.info().predictions, cell.length);
  std::string lines;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (entries[i].error.empty()) lines += json_text(task.prediction(samples[i], entries[i].text)) + "\n";
  make_folder(fs::path(path).parent_path().string());
  replace_own_file(path, lines);
}

SampleAsker EvaluationCampaign::asker(const std::string& policy) const {
  const PolicyVariant variant = policy_variant(policy);
  return {{variant.policy, variant.config(plan_.config), plan_.question, chat_.text}, tokenizer_};
}

void EvaluationCampaign::count_time(const Cell& cell, const SampleEntry& entry, std::size_t choices) {
  last_tokens_ = entry.tokens;
  last_expected_ = expected_of(cell, entry.tokens, choices);
  if (!entry.error.empty()) return;
  measured_ += entry.prefill_seconds + entry.decode_seconds;
  expected_ += last_expected_;
}

Session& EvaluationCampaign::session() {
  if (session_) return *session_;
  session_ =
      open_session({plan_.model, parse_dtype(plan_.dtype), parse_device(plan_.device), threads_, false, plan_.adapter},
                   observer_, *control_);
  observer_.clear();
  remember_model(session_->model());
  return *session_;
}

/// Stores the weights' hash, and the dtype and device that "auto" chose at the first start; a start that continues must
/// have the same.
void EvaluationCampaign::remember_model(const ModelInfo& model) {
  const std::string dtype(dtype_name(model.dtype)), device(device_name(model.device));
  if (plan_.weights_hash.empty()) {
    plan_.weights_hash = model.weights_hash;
    plan_.loaded_dtype = dtype;
    plan_.loaded_device = device;
    replace_own_file(plan_path(folder_.path()), json_text(evaluation_json(plan_), 1) + "\n");
    return;
  }
  if (plan_.weights_hash != model.weights_hash || plan_.loaded_dtype != dtype || plan_.loaded_device != device)
    throw EngineError(Fault::Usage, folder_.path(),
                      "was begun with weights " + plan_.weights_hash + " in " + plan_.loaded_dtype + " on " +
                          plan_.loaded_device + ", and this is " + model.weights_hash + " in " + dtype + " on " +
                          device,
                      "Choose another folder (--out), or give the same --dtype and --device.");
}

void EvaluationCampaign::write_results(const std::string& policy) {
  const EvaluatedModel model{session().model(), tokenizer_hash(*tokenizer_), spelled(*tokenizer_, tokenizer_->bos()),
                             spelled(*tokenizer_, tokenizer_->eos()), chat_.source};
  replace_own_file(results_of(policy), json_text(evaluation_results(plan_, policy, model, done_), 2) + "\n");
  done_.clear();
}

double EvaluationCampaign::expected_of(const Cell& cell, std::int64_t tokens, std::size_t choices) {
  const DType dtype = session_ ? session_->model().dtype : DType::Float32;
  const PolicyVariant variant = policy_variant(cell.policy);
  return expected_seconds(
      sample_work(model_, variant.config(plan_.config), variant.policy, dtype, task(cell.task), tokens, choices),
      usual_limits());
}

/// Returns the time left for everything that is still to be done, from the ratio of the actual to the expected time of
/// this process's samples. Later cells count as many samples as this one where the plan has no number, and texts
/// without a length count as the last one.
std::string EvaluationCampaign::time_left(const Cell& cell, std::size_t left, std::size_t count) {
  if (expected_ <= 0) return {};
  double seconds = static_cast<double>(left) * last_expected_;
  bool later = false;
  for (const Cell& other : cells_) {
    constexpr std::size_t kUsualChoices = 4;
    if (later)
      seconds += static_cast<double>(count) *
                 expected_of(other, other.length > 0 ? other.length : last_tokens_, kUsualChoices);
    later = later || &other == &cell;
  }
  return ", about " + human_duration(seconds * measured_ / expected_) + " left";
}

}  // namespace carryover
