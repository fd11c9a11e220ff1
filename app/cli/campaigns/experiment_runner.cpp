// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/campaigns/experiment_runner.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/cli/campaigns/experiment_forecast.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recorded_run.h"
#include "app/cli/training/training_watch.h"
#include "engine/api/engine_library.h"
#include "engine/base/current_error.h"
#include "engine/base/error.h"
#include "engine/campaigns/experiments/earlier_results.h"
#include "engine/campaigns/experiments/experiment_report.h"
#include "engine/data/text_source.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/formats/whole_folder.h"
#include "engine/runs/records/run_command.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/training/records/teacher_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Each cell has a control of its own: an alert of a training stops it, and not the experiment. A signal that comes
/// between two cells waits for the next one's watch.
struct Interruptible {
  RunControl control;
  InterruptWatch watch{control};
};

std::unique_ptr<const FolderLock> locked(const std::string& folder) {
  std::error_code code;
  if (!fs::exists(experiment_state_path(folder), code))
    require_free_names(folder, {"results.json", "table.md", "table.csv", "table.tex", "report.md"});
  fs::create_directories(fs::path(folder) / "cells", code);
  if (code) throw EngineError(Fault::Io, folder, "can't be made: " + code.message(), "Choose another folder (--out).");
  return std::make_unique<const FolderLock>(folder);
}

/// Removes the files that a finished training no longer needs: its checkpoints, and the teacher's logits.
void remove_leavings(const std::string& folder) {
  std::error_code ignored;
  const std::string checkpoints = path_in(folder, "checkpoints");
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(checkpoints, ignored)) all.push_back(entry.path().string());
  for (const std::string& checkpoint : all) remove_whole_folder(checkpoint);
  fs::remove(checkpoints, ignored);  // where it is empty now
  fs::remove(path_in(folder, kTeacherFile), ignored);
}

}  // namespace

ExperimentRunner::ExperimentRunner(const ExperimentPlan& plan, const ExperimentCells& cells,
                                   const ExperimentRequest& request, const std::string& earlier, ProgressLine& progress)
    : plan_(plan),
      cells_(cells),
      experiment_(request.out),
      progress_(progress),
      lock_(locked(experiment_)),
      state_(experiment_state(plan, cells)),
      work_(cell_work(cells)) {
  state_.command = absolute_request(request);
  look_at_cells(earlier);
}

ExperimentRunner::~ExperimentRunner() = default;

CellState& ExperimentRunner::state_of(const std::string& id) {
  const auto found = std::ranges::find(state_.cells, id, &CellState::id);
  CARRYOVER_CHECK(found != state_.cells.end());
  return *found;
}

void ExperimentRunner::finish(const std::string& id, json numbers) {
  CellState& cell = state_of(id);
  cell.status = CellStatus::Done;
  cell.seconds = cell.expected_seconds = numbers.at("seconds").get<double>();
  if (cell.training && !numbers.at("losses").empty())
    if (const json& last = numbers.at("losses").back().at(1); last.is_number()) cell.loss = last.get<double>();
  if (!cell.training) cell.loss = numbers.at("nll_sum").get<double>() / numbers.at("targets").get<double>();
  if (!is_from_elsewhere(numbers)) pace_.add(work_.at(id), cell.seconds);
  numbers_[id] = std::move(numbers);
}

void ExperimentRunner::look_at_cells(const std::string& earlier) {
  const auto unusable = [&](const std::string& id, const std::string& problem) {
    progress_.note("cell " + id + " is not usable, and is made again: " + problem);
  };
  CellNumbers finished = finished_cells(cells_, experiment_, earlier, unusable);
  if (!earlier.empty())
    replace_own_file(path_in(experiment_, kEarlierFile), read_json_file(earlier, JsonKind::Results).dump() + "\n");
  for (auto& [id, numbers] : finished) finish(id, std::move(numbers));
}

/// Sets the expected seconds of cells. Before the first cell of a kind is done, the machine is measured for it only if
/// much work is left.
void ExperimentRunner::expect() {
  constexpr double kMuch = 1e13;  // operations: a minute or so
  double left = 0;
  for (const CellState& cell : state_.cells)
    if (!is_finished(cell.id) && !cell.left_out) left += work_.at(cell.id).flops;
  for (CellState& cell : state_.cells) {
    if (is_finished(cell.id) || cell.left_out) continue;
    const CellWork& work = work_.at(cell.id);
    cell.expected_seconds = left > kMuch || pace_.knows(work) ? expected_seconds(pace_, work, cells_, plan_) : 0;
  }
}

bool ExperimentRunner::run() {
  {
    const Interruptible stop;  // from before the engine starts threads: no signal may reach one of them
    expect();
    if (stop.control.stop_requested()) return false;
  }
  state_.status = CellStatus::Running;
  write_experiment_state(experiment_, state_);
  try {
    for (const CellGroup& group : cells_.groups)
      if (plan_.runs(group.recipe)) run_group(group);
  } catch (const Stopped&) {
    state_.status = CellStatus::Pending;
  }
  const bool stopped = state_.status == CellStatus::Pending;
  if (!stopped) {
    const bool failed = state_.count(CellStatus::Failed) > 0, left = state_.count(CellStatus::Pending) > 0;
    state_.status = failed ? CellStatus::Failed : left ? CellStatus::Pending : CellStatus::Done;
  }
  write_reports();
  write_experiment_state(experiment_, state_);
  return !stopped;
}

void ExperimentRunner::run_group(const CellGroup& group) {
  bool worked = false;
  if (group.training) {
    const TrainingCell& cell = cells_.trainings[*group.training];
    if (!is_finished(cell.id))
      worked = run_cell(cell.id, [&] { train(cell); });
    else  // killed between the two, perhaps
      remove_leavings(cell.plan.output_dir);
  }
  for (const std::size_t index : group.uses) {
    const EvaluationCell& cell = cells_.evaluations[cells_.uses[index].cell];
    if (is_finished(cell.id)) continue;
    run_cell(cell.id, [&] { evaluate(cell); });
    worked = true;
  }
  if (worked) write_reports();
}

template <typename Work>
bool ExperimentRunner::run_cell(const std::string& id, const Work& work) {
  CellState& cell = state_of(id);
  cell.status = CellStatus::Running;
  cell.started =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  cell.error.clear();
  write_experiment_state(experiment_, state_);
  const std::size_t done = state_.wanted_done(), all = state_.wanted();
  progress_.clear();
  progress_.restart();
  progress_.note("[" + std::to_string(done + 1) + "/" + std::to_string(all) + "] " + cell.recipe +
                 (cell.seed ? ", seed " + std::to_string(*cell.seed) : "") +
                 (cell.training ? ": training" : ": " + cell.evaluation + ", " + cell.text) + "  (" + id +
                 (cell.expected_seconds > 0 ? ", about " + human_duration(cell.expected_seconds) : "") + ")");
  try {
    work();
    cell.started = 0;
  } catch (...) {
    const EngineError error = current_error();
    cell.started = 0;
    if (error.fault() == Fault::Cancelled) {
      cell.status = CellStatus::Pending;
      throw Stopped{};
    }
    cell.status = CellStatus::Failed;
    cell.error = error.what();
    progress_.note("failed: " + cell.error);
  }
  expect();
  write_experiment_state(experiment_, state_);
  return true;
}

void ExperimentRunner::train(const TrainingCell& cell) {
  Interruptible stop;
  const auto plan = std::make_shared<const TrainingPlan>(cell.plan);
  begin_cell(plan->output_dir, cell.inputs);
  session_.reset();
  session_key_.clear();
  const auto corpus = read_training_data(*plan, progress_, stop.control);
  auto session = load_session({plan->model, plan->dtype, plan->device, plan->threads, false, {}},
                              [&](double fraction, const std::string& what) {
                                stop.control.checkpoint();
                                progress_.loading(fraction, what);
                              });
  TrainingWatch watch(*plan, progress_, stop.control);
  std::error_code ignored;
  const bool resume = fs::exists(path_in(plan->output_dir, "config.json"), ignored);
  const TrainingSummary summary = session->train({plan, corpus, resume, false}, watch, stop.control);
  watch.ended(summary);
  if (watch.ended_by_alert())
    throw EngineError(Fault::BadInput, cell.recipe, "ended by an alert at " + watch.alert(),
                      "Give the recipe a lower learning_rate, or on_alert \"skip\".");
  if (summary.stopped)
    throw EngineError(Fault::Cancelled, cell.recipe, "stopped", "Run the same command again to continue.");
  json numbers = training_numbers(cell);
  CARRYOVER_CHECK(!numbers.is_null());
  remove_leavings(plan->output_dir);
  finish(cell.id, std::move(numbers));
}

Session& ExperimentRunner::session_for(const EvaluationCell& cell, RunControl& control) {
  std::string path = cells_.models[cell.model].path, adapter = cell.adapter;
  if (cell.training) {
    const TrainingCell& training = cells_.trainings[*cell.training];
    if (!is_finished(training.id))
      throw EngineError(Fault::BadInput, training.recipe, "has no trained weights, because its training failed",
                        "Its error is in experiment.json.");
    (training.plan.training.lora.rank > 0 ? adapter : path) = path_in(training.plan.output_dir, "final");
  }
  const RunSettings& settings = cell.settings;
  const std::string key = path + "\n" + adapter + "\n" + std::string(dtype_name(settings.dtype));
  if (session_ && key == session_key_) return *session_;
  session_.reset();
  session_ = load_session({path, settings.dtype, settings.device, settings.threads, false, adapter},
                          [&](double fraction, const std::string& what) {
                            control.checkpoint();
                            progress_.loading(fraction, what);
                          });
  session_key_ = key;
  return *session_;
}

/// Returns as many ids of a text as its longest run needs.
const std::vector<std::int32_t>& ExperimentRunner::ids_of(std::size_t model, std::size_t text) {
  std::vector<std::int32_t>& ids = ids_[{model, text}];
  if (ids.empty()) {
    ids = Tokenizer::load(cells_.models[model].path)->encode(read_text(cells_.texts[text].path), false);
    const auto most = static_cast<std::size_t>(plan_.lengths.back());
    if (ids.size() > most) ids.resize(most);
  }
  return ids;
}

void ExperimentRunner::evaluate(const EvaluationCell& cell) {
  Interruptible stop;
  const CellModel& model = cells_.models[cell.model];
  const RunSettings& settings = cell.settings;
  const auto tokens = static_cast<std::size_t>(*settings.tokens);
  std::vector<std::int32_t> ids = ids_of(cell.model, cell.text);
  if (ids.size() < tokens)
    throw EngineError(Fault::BadInput, cells_.texts[cell.text].path,
                      "has " + std::to_string(ids.size()) + " tokens of the " + std::to_string(tokens) + " to read",
                      "Leave it out, or plan shorter lengths.");
  ids.resize(tokens);
  if (settings.config.bos) {
    const auto bos = Tokenizer::load(model.path)->bos();
    if (!bos) throw EngineError(Fault::BadInput, model.path, "has no BOS token", "Leave out bos.");
    ids.insert(ids.begin(), *bos);
  }
  RunDescription description = describe_run(settings, std::move(ids), cells_.texts[cell.text].path, model.config);
  description.request.capture = CaptureOptions::nothing();
  description.request.capture.target_nll = description.request.capture.sinks = true;
  Session& session = session_for(cell, stop.control);
  description.model = session.model();
  description.command_line = run_command(description);
  begin_cell(folder(cell.id), cell.inputs);
  RunFolder record(folder(cell.id), description, true);
  RunRecorder recorder(&record, progress_, stop.control, std::ssize(*description.request.ids));
  const RunSummary summary = session.run(description.request, recorder, stop.control);
  progress_.clear();
  recorder.rethrow();
  if (summary.cancelled)
    throw EngineError(Fault::Cancelled, cell.id, "stopped", "Run the same command again to continue.");
  record.finish(summary);
  json numbers = evaluation_numbers(folder(cell.id), cell, model);
  CARRYOVER_CHECK(!numbers.is_null());
  finish(cell.id, std::move(numbers));
}

void ExperimentRunner::write_reports() {
  json environment;
  for (const EvaluationCell& cell : cells_.evaluations) {
    if (!is_finished(cell.id) || is_from_elsewhere(numbers_.at(cell.id))) continue;
    const json config = read_json_file(path_in(folder(cell.id), "config.json"));
    environment = config.value("environment", json::object());
    environment.erase("processor_flags");
    environment["device"] = config.value("device", "");
    environment["threads"] = config.value("threads", 0);
    break;
  }
  const json results = experiment_results(plan_, cells_, numbers_, environment);
  const auto path = [&](const char* name) { return path_in(experiment_, name); };
  replace_own_file(path("results.json"), json_text(results, 1) + "\n");
  const std::string where = path("results.json");
  replace_own_file(path("table.md"), experiment_table(results, TableFormat::Markdown, where));
  replace_own_file(path("table.csv"), experiment_table(results, TableFormat::Csv, where));
  replace_own_file(path("table.tex"), experiment_table(results, TableFormat::Latex, where));
  replace_own_file(path("report.md"), experiment_report(results, where));
}

}  // namespace carryover
