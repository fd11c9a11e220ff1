// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/eval_runner.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/eval_forecast.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/api/engine_library.h"
#include "engine/core/base/current_error.h"
#include "engine/core/base/error.h"
#include "engine/evaluations/evaluation_results.h"
#include "engine/evaluations/evaluation_table.h"
#include "engine/evaluations/policy_variant.h"
#include "engine/evaluations/sample_lines.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/models/model_source.h"
#include "engine/tasks/task_table.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::unique_ptr<const FolderLock> locked_folder(const std::string& folder) {
  make_folder(folder, "Choose another folder (--out).");
  return std::make_unique<const FolderLock>(folder);
}

/// Nothing of a sample that a chat template refuses.
AskedSample asked_or_nothing(const SampleAsker& asker, const Task& task, const TaskSample& sample) {
  try {
    return asker.asked(task, sample);
  } catch (const EngineError&) {
    return {};
  }
}

/// What a journal has must be of the same samples: data files may have changed since.
void require_same(const SampleAsker& asker, const Task& task, const std::vector<TaskSample>& samples,
                  const SampleJournal& journal, const std::string& path) {
  const std::vector<SampleEntry>& entries = journal.entries();
  bool same = entries.size() <= samples.size();
  for (std::size_t i = 0; same && i < entries.size(); ++i)
    same = entries[i].id == samples[i].id && entries[i].prompt_hash == asked_or_nothing(asker, task, samples[i]).hash;
  if (!same)
    throw EngineError(Fault::Usage, path, "is of other samples than those that the task has now",
                      "Choose another folder (--out), or put the task's data back as it was.");
}

/// Of a results file that an earlier call wrote.
std::vector<json> cells_in(const std::string& path) {
  const json results = read_json_file(path);
  const json* ours = JsonFields(results, path).find("carryover");
  const json* tasks = ours != nullptr ? JsonFields(*ours, path).find("tasks") : nullptr;
  if (tasks == nullptr || !tasks->is_array())
    throw EngineError(Fault::BadInput, path, "has no list of tasks", "Remove it: it is made again from the samples.");
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
      tokenizer_(Tokenizer::load(plan_.model)) {
  for (const std::string& policy : plan_.policies)
    for (const std::string& task : plan_.tasks)
      for (const std::int64_t length : plan_.lengths) cells_.push_back({policy, task, length});
}

EvalRunner::~EvalRunner() = default;

bool EvalRunner::run() {
  const InterruptWatch interrupt(control_);  // from before the engine starts threads
  try {
    for (const std::string& policy : plan_.policies) run_policy(policy);
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
  const SampleAsker asker({variant.policy, variant.config(plan_.config), plan_.question, chat_.text}, tokenizer_,
                          model_);
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
  const std::string folder = policy_folder(plan_, out_, cell.policy), key = cell_key(cell.task, cell.length);
  progress_.status("making samples of " + cell_title(cell.task, cell.length));
  std::vector<TaskSample> samples = task.samples(sample_request(plan_, cell.task, cell.length, tokenizer_));
  const std::size_t available = samples.size();
  samples.resize(samples_to_run(plan_, available));
  const std::string path = journal_path(folder, key);
  SampleJournal journal(path);
  require_same(asker, task, samples, journal, path);
  run_samples(asker, cell, samples, journal);

  TaskHash hash;
  write_atomically(sample_lines_path(plan_, folder, key), [&](OutputFile& file) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::string prompt = asked_or_nothing(asker, task, samples[i]).text;
      const json line = sample_line(task, i, samples[i], prompt, journal.entries()[i]);
      hash.add(line);
      file.append(json_text(line) + "\n");
    }
  });
  return cell_results(task, {cell.task, cell.length, available, journal.entries()}, hash.hex());
}

void EvalRunner::run_samples(const SampleAsker& asker, const Cell& cell, const std::vector<TaskSample>& samples,
                             SampleJournal& journal) {
  const Task& task = this->task(cell.task);
  const std::string title = cell.policy + ", " + cell_title(cell.task, cell.length);
  if (journal.entries().size() < samples.size())
    progress_.note(title + ": " + std::to_string(samples.size()) + " samples");
  for (std::size_t i = journal.entries().size(); i < samples.size(); ++i) {
    if (control_.stop_requested()) throw Stopped{};
    progress_.status(title + ": sample " + std::to_string(i + 1) + " of " + std::to_string(samples.size()) +
                     time_left(cell, samples.size() - i, samples.size()));
    SampleEntry entry = entry_of(asker, task, samples[i]);
    last_tokens_ = entry.tokens;
    last_expected_ = expected_of(cell, entry.tokens, samples[i].choices.size());
    if (entry.error.empty()) {
      measured_ += entry.prefill_seconds + entry.decode_seconds;
      expected_ += last_expected_;
    } else {
      progress_.note(title + ": sample " + entry.id + " failed: " + entry.error);
    }
    journal.append(std::move(entry));
  }
  progress_.clear();
}

SampleEntry EvalRunner::entry_of(const SampleAsker& asker, const Task& task, const TaskSample& sample) {
  Session& model = session();
  AskedSample asked;
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

/// What "auto" stood for at the first start, and the weights, must be what continues.
void EvalRunner::remember_model(const ModelInfo& model) {
  const std::string dtype(dtype_name(model.dtype)), device(device_name(model.device));
  if (plan_.weights_hash.empty()) {
    plan_.weights_hash = model.weights_hash;
    plan_.loaded_dtype = dtype;
    plan_.loaded_device = device;
    write_file_atomically(plan_path(out_), json_text(evaluation_json(plan_), 1) + "\n");
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
  write_file_atomically(path, json_text(evaluation_results(plan_, policy, model, cells), 2) + "\n");
  results_.push_back(path);
  write_tables();
}

void EvalRunner::write_tables() const {
  const std::vector<ResultsFile> files = read_results(out_);
  for (const auto& [name, format] : {std::pair("table.md", TableFormat::Markdown),
                                     {"table.csv", TableFormat::Csv},
                                     {"table.tex", TableFormat::Latex}})
    write_file_atomically(path_in(out_, name), evaluation_table(files, format));
}

double EvalRunner::expected_of(const Cell& cell, std::int64_t tokens, std::size_t choices) {
  const DType dtype = session_ ? session_->model().dtype : DType::Float32;
  const PolicyVariant variant = policy_variant(cell.policy);
  return expected_seconds(
      sample_work(model_, variant.config(plan_.config), variant.policy, dtype, task(cell.task), tokens, choices),
      usual_limits());
}

/// Of all that is asked for, from what this process's samples took beside what was expected. Of later cells the number
/// of samples is that of this one where the plan has none, and of texts without a length the last one's.
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
