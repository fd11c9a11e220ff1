// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/campaigns/eval_runner.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/campaigns/eval_forecast.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/noted_tokenizer.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/api/engine_library.h"
#include "engine/base/current_error.h"
#include "engine/base/error.h"
#include "engine/campaigns/evaluations/evaluation_results.h"
#include "engine/campaigns/evaluations/evaluation_table.h"
#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/campaigns/evaluations/sample_lines.h"
#include "engine/checkpoints/model_source.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/tasks/task_table.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::unique_ptr<const FolderLock> locked_folder(const std::string& folder) {
  make_folder(folder, "Choose another folder (--out).");
  return std::make_unique<const FolderLock>(folder);
}

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

EvalRunner::EvalRunner(const EvaluationPlan& asked, const std::string& out, int threads, EvaluationChat chat,
                       ProgressLine& progress)
    : out_(out),
      threads_(threads),
      chat_(std::move(chat)),
      progress_(progress),
      lock_(locked_folder(out)),
      plan_(begin_evaluation(out, asked)),
      model_(ModelSource::open(plan_.model)->config()),
      tokenizer_(load_tokenizer(plan_.model)) {
  for (const std::string& policy : plan_.policies)
    for (const std::string& task : plan_.tasks)
      for (const std::int64_t length : plan_.lengths) cells_.push_back({policy, task, length});
}

EvalRunner::~EvalRunner() = default;

bool EvalRunner::run() {
  const InterruptWatch interrupt(control_);  // from before the engine starts threads
  try {
    for (const std::string& policy : plan_.policies) {
      run_policy(policy);
      write_tables();  // also of one that was done: a kill may have come between its results and the tables
    }
  } catch (const Stopped&) {
    return false;
  } catch (const EngineError& error) {
    if (error.fault() == Fault::Cancelled) return false;  // while the model was loaded
    throw;
  }
  return true;
}

void EvalRunner::run_policy(const std::string& policy) {
  const std::string folder = policy_folder(plan_, out_, policy), results = results_path(plan_, folder);
  std::error_code code;
  if (fs::exists(results, code)) {
    for (const json& cell : cells_in(results)) count(cell);
    results_.push_back(results);
    return;
  }
  make_folder(folder);
  const PolicyVariant variant = policy_variant(policy);
  const SampleAsker asker({variant.policy, variant.config(plan_.config), plan_.question, chat_.text}, tokenizer_);
  std::vector<json> done;
  for (const Cell& cell : cells_) {
    if (cell.policy != policy) continue;
    done.push_back(run_cell(asker, cell));
    count(done.back());
  }
  write_results(policy, done);
}

void EvalRunner::count(const json& cell) {
  const JsonFields fields(cell, "results");
  failures_ += fields.integer("failures");
  samples_ += fields.integer("n") + fields.integer("failures");
}

const Task& EvalRunner::task(const std::string& name) {
  std::unique_ptr<const Task>& task = tasks_[name];
  if (!task) task = make_task(name);
  return *task;
}

json EvalRunner::run_cell(const SampleAsker& asker, const Cell& cell) {
  const Task& task = this->task(cell.task);
  progress_.status("making samples of " + cell_title(cell.task, cell.length));
  std::vector<TaskSample> samples = task.samples(sample_request(plan_, cell.task, cell.length, tokenizer_));
  const std::size_t available = samples.size();
  samples.resize(samples_to_run(plan_, available));
  const std::string folder = policy_folder(plan_, out_, cell.policy), key = cell_key(cell.task, cell.length);
  SampleJournal journal(journal_path(folder, key));
  const std::string hash = run_samples(asker, cell, samples, journal, sample_lines_path(plan_, folder, key));
  if (!task.info().predictions.empty()) write_predictions(cell, samples, journal.entries());
  return cell_results(task, {cell.task, cell.length, available, journal.entries()}, hash);
}

/// A sample's prompt is made once, for what is left to do of it: its entry and its line in `lines`. Returns their hash.
std::string EvalRunner::run_samples(const SampleAsker& asker, const Cell& cell, const std::vector<TaskSample>& samples,
                                    SampleJournal& journal, const std::string& lines) {
  const Task& task = this->task(cell.task);
  const std::string title = cell.policy + ", " + cell_title(cell.task, cell.length);
  const std::size_t before = journal.entries().size();
  if (before > samples.size()) refuse_other_samples(journal.path());
  if (before < samples.size()) progress_.note(title + ": " + std::to_string(samples.size()) + " samples");
  remove_unfinished(lines);
  TaskHash hash;
  write_atomically(lines, [&](OutputFile& file) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      AskedSample asked;
      if (i < before) {
        asked = asked_before(asker, task, samples[i], journal.entries()[i], journal.path());
      } else {
        if (control_.stop_requested()) throw Stopped{};
        progress_.status(title + ": sample " + std::to_string(i + 1) + " of " + std::to_string(samples.size()) +
                         time_left(cell, samples.size() - i, samples.size()));
        journal.append(run_sample(asker, cell, samples[i], asked));
      }
      const json line = sample_line(task, i, samples[i], asked.text, journal.entries()[i]);
      hash.add(line);
      file.append(json_text(line) + "\n");
    }
  });
  progress_.clear();
  return hash.hex();
}

/// Writes the predictions of the samples that were answered: the scorer counts no sample where a line is missing, as
/// this program's score does.
void EvalRunner::write_predictions(const Cell& cell, const std::vector<TaskSample>& samples,
                                   const std::vector<SampleEntry>& entries) {
  const Task& task = this->task(cell.task);
  const std::string path = predictions_path(plan_, out_, cell.policy, task.info().predictions, cell.length);
  std::string lines;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (entries[i].error.empty()) lines += json_text(task.prediction(samples[i], entries[i].text)) + "\n";
  make_folder(fs::path(path).parent_path().string());
  replace_own_file(path, lines);
}

/// `asked` becomes its prompt; nothing where a chat template refuses it.
SampleEntry EvalRunner::run_sample(const SampleAsker& asker, const Cell& cell, const TaskSample& sample,
                                   AskedSample& asked) {
  SampleEntry entry = entry_of(asker, task(cell.task), sample, asked);
  last_tokens_ = entry.tokens;
  last_expected_ = expected_of(cell, entry.tokens, sample.choices.size());
  if (entry.error.empty()) {
    measured_ += entry.prefill_seconds + entry.decode_seconds;
    expected_ += last_expected_;
  } else {
    progress_.note(cell.policy + ", " + cell_title(cell.task, cell.length) + ": sample " + entry.id +
                   " failed: " + entry.error);
  }
  return entry;
}

SampleEntry EvalRunner::entry_of(const SampleAsker& asker, const Task& task, const TaskSample& sample,
                                 AskedSample& asked) {
  Session& model = session();
  try {
    asked = asker.asked(task, sample);
    return asker.answer(model, task, sample, asked, control_);
  } catch (...) {
    const EngineError error = current_error();
    if (error.fault() == Fault::Cancelled) throw Stopped{};
    if (error.fault() == Fault::Usage) throw;  // of the command, not of the sample
    SampleEntry entry;
    entry.id = sample.id;
    entry.slice = sample.slice;
    entry.prompt_hash = asked.hash;
    entry.error = error.what();
    return entry;
  }
}

Session& EvalRunner::session() {
  if (session_) return *session_;
  session_ =
      load_session({plan_.model, parse_dtype(plan_.dtype), parse_device(plan_.device), threads_, false, plan_.adapter},
                   [&](double fraction, const std::string& what) {
                     control_.checkpoint();
                     progress_.loading(fraction, what);
                   });
  progress_.clear();
  remember_model(session_->model());
  return *session_;
}

/// Stores the weights' hash, and the dtype and device that "auto" chose at the first start; a start that continues must
/// have the same.
void EvalRunner::remember_model(const ModelInfo& model) {
  const std::string dtype(dtype_name(model.dtype)), device(device_name(model.device));
  if (plan_.weights_hash.empty()) {
    plan_.weights_hash = model.weights_hash;
    plan_.loaded_dtype = dtype;
    plan_.loaded_device = device;
    replace_own_file(plan_path(out_), json_text(evaluation_json(plan_), 1) + "\n");
    return;
  }
  if (plan_.weights_hash != model.weights_hash || plan_.loaded_dtype != dtype || plan_.loaded_device != device)
    throw EngineError(Fault::Usage, out_,
                      "was begun with weights " + plan_.weights_hash + " in " + plan_.loaded_dtype + " on " +
                          plan_.loaded_device + ", and this is " + model.weights_hash + " in " + dtype + " on " +
                          device,
                      "Choose another folder (--out), or give the same --dtype and --device.");
}

void EvalRunner::write_results(const std::string& policy, const std::vector<json>& cells) {
  const std::string path = results_path(plan_, policy_folder(plan_, out_, policy));
  const EvaluatedModel model{session().model(), tokenizer_hash(*tokenizer_), spelled(*tokenizer_, tokenizer_->bos()),
                             spelled(*tokenizer_, tokenizer_->eos()), chat_.source};
  replace_own_file(path, json_text(evaluation_results(plan_, policy, model, cells), 2) + "\n");
  results_.push_back(path);
}

void EvalRunner::write_tables() const {
  const std::vector<ResultsFile> files = read_results(out_);
  for (const auto& [name, format] : {std::pair("table.md", TableFormat::Markdown),
                                     {"table.csv", TableFormat::Csv},
                                     {"table.tex", TableFormat::Latex}})
    replace_own_file(path_in(out_, name), evaluation_table(files, format));
}

double EvalRunner::expected_of(const Cell& cell, std::int64_t tokens, std::size_t choices) {
  const DType dtype = session_ ? session_->model().dtype : DType::Float32;
  const PolicyVariant variant = policy_variant(cell.policy);
  return expected_seconds(
      sample_work(model_, variant.config(plan_.config), variant.policy, dtype, task(cell.task), tokens, choices),
      usual_limits());
}

/// Returns the time left for everything that is still to be done, from the ratio of the actual to the expected time of
/// this process's samples. Later cells count as many samples as this one where the plan has no number, and texts
/// without a length count as the last one.
std::string EvalRunner::time_left(const Cell& cell, std::size_t left, std::size_t count) {
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
