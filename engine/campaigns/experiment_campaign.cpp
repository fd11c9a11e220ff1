// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiment_campaign.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "engine/base/duration_text.h"
#include "engine/base/error.h"
#include "engine/campaigns/experiment_forecast.h"
#include "engine/campaigns/experiments/earlier_results.h"
#include "engine/campaigns/experiments/experiment_report.h"
#include "engine/formats/file_stamp.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/whole_folder.h"
#include "engine/runs/records/run_command.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/training/records/teacher_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

/// Each cell has a control of its own: an alert of a training stops it, and not the experiment. A signal that comes
/// between two cells waits for the next one's watch.
struct ExperimentCampaign::Interruptible {
  explicit Interruptible(const ExperimentHost& host) : watch(host.interrupts(control)) {}
  RunControl control;
  std::shared_ptr<const void> watch;
};

ExperimentCampaign::ExperimentCampaign(const ExperimentPlan& plan, const ExperimentCells& cells,
                                       const ExperimentRequest& request, const std::string& earlier,
                                       ExperimentHost host)
    : plan_(plan),
      cells_(cells),
      host_(std::move(host)),
      observer_(host_.observer),
      folder_(request.out, file_stamp(experiment_state_path(request.out)) != FileStamp{},
              {"results.json", "table.md", "table.csv", "table.tex", "report.md"}),
      state_(experiment_state(plan, cells)),
      work_(cell_work(cells)) {
  make_folder(folder_.file("cells"), "Choose another folder (--out).");
  state_.command = absolute_request(request);
  look_at_cells(earlier);
  list_steps();
}

CellState& ExperimentCampaign::state_of(const std::string& id) {
  const auto found = std::ranges::find(state_.cells, id, &CellState::id);
  CARRYOVER_CHECK(found != state_.cells.end());
  return *found;
}

void ExperimentCampaign::finish(const std::string& id, json numbers) {
  CellState& cell = state_of(id);
  cell.status = CellStatus::Done;
  cell.seconds = cell.expected_seconds = numbers.at("seconds").get<double>();
  if (cell.training && !numbers.at("losses").empty())
    if (const json& last = numbers.at("losses").back().at(1); last.is_number()) cell.loss = last.get<double>();
  if (!cell.training) cell.loss = numbers.at("nll_sum").get<double>() / numbers.at("targets").get<double>();
  if (!is_from_elsewhere(numbers)) pace_.add(work_.at(id), cell.seconds);
  numbers_[id] = std::move(numbers);
}

void ExperimentCampaign::look_at_cells(const std::string& earlier) {
  const auto unusable = [&](const std::string& id, const std::string& problem) {
    observer_.note("cell " + id + " is not usable, and is made again: " + problem);
  };
  CellNumbers finished = finished_cells(cells_, folder_.path(), earlier, unusable);
  if (!earlier.empty()) folder_.write(kEarlierFile, read_json_file(earlier, JsonKind::Results).dump() + "\n");
  for (auto& [id, numbers] : finished) finish(id, std::move(numbers));
}

/// Sets the expected seconds of cells. Before the first cell of a kind is done, the machine is measured for it only if
/// much work is left.
void ExperimentCampaign::expect() {
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

void ExperimentCampaign::list_steps() {
  for (std::size_t index = 0; index < cells_.groups.size(); ++index) {
    const CellGroup& group = cells_.groups[index];
    if (!plan_.runs(group.recipe)) continue;
    if (group.training) steps_.push_back({index, &cells_.trainings[*group.training], nullptr});
    for (const std::size_t use : group.uses)
      steps_.push_back({index, nullptr, &cells_.evaluations[cells_.uses[use].cell]});
  }
}

bool ExperimentCampaign::run() {
  {
    const Interruptible stop(host_);
    expect();
    if (stop.control.stop_requested()) return false;
  }
  for (const Step& step : steps_)  // of a training that was killed before it had removed them
    if (step.training != nullptr && is_finished(step.id())) remove_leavings(step.training->plan.output_dir);
  state_.status = CellStatus::Running;
  write_state();
  const bool complete = run_campaign(*this);
  if (!complete) state_.stop();
  const bool failed = state_.count(CellStatus::Failed) > 0, left = state_.count(CellStatus::Pending) > 0;
  if (complete) state_.status = failed ? CellStatus::Failed : left ? CellStatus::Pending : CellStatus::Done;
  write_reports();
  write_state();
  return complete;
}

void ExperimentCampaign::start_cell(std::size_t index) {
  CellState& cell = state_of(index);
  cell.status = CellStatus::Running;
  cell.started =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  cell.error.clear();
  write_state();
  const std::size_t done = state_.wanted_done(), all = state_.wanted();
  observer_.clear();
  observer_.restart();
  observer_.note("[" + std::to_string(done + 1) + "/" + std::to_string(all) + "] " + cell.recipe +
                 (cell.seed ? ", seed " + std::to_string(*cell.seed) : "") +
                 (cell.training ? ": training" : ": " + cell.evaluation + ", " + cell.text) + "  (" + cell.id +
                 (cell.expected_seconds > 0 ? ", about " + human_duration(cell.expected_seconds) : "") + ")");
}

void ExperimentCampaign::run_cell(std::size_t cell) {
  const Step& step = steps_[cell];
  step.training != nullptr ? train(*step.training) : evaluate(*step.evaluation);
}

bool ExperimentCampaign::record_failure(std::size_t cell, const EngineError& error) {
  CellState& state = state_of(cell);
  state.status = CellStatus::Failed;
  state.error = error.what();
  observer_.note("failed: " + state.error);
  return true;
}

void ExperimentCampaign::end_cell(std::size_t cell) {
  state_of(cell).started = 0;
  expect();
  write_state();
}

void ExperimentCampaign::finish_group(std::size_t /*group*/, bool worked) {
  if (worked) write_reports();
}

void ExperimentCampaign::train(const TrainingCell& cell) {
  Interruptible stop(host_);
  begin_cell(cell.plan.output_dir, cell.inputs);
  session_.reset();
  session_key_.clear();
  host_.train(cell, stop.control);
  json numbers = training_numbers(cell);
  CARRYOVER_CHECK(!numbers.is_null());
  remove_leavings(cell.plan.output_dir);
  finish(cell.id, std::move(numbers));
}

Session& ExperimentCampaign::session_for(const EvaluationCell& cell, RunControl& control) {
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
  session_ =
      open_session({path, settings.dtype, settings.device, settings.threads, false, adapter}, observer_, control);
  session_key_ = key;
  return *session_;
}

const std::vector<std::int32_t>& ExperimentCampaign::ids_of(std::size_t model, std::size_t text) {
  std::vector<std::int32_t>& ids = ids_[{model, text}];
  if (ids.empty()) ids = text_ids(cells_.models[model], cells_.texts[text], plan_.lengths.back());
  return ids;
}

void ExperimentCampaign::evaluate(const EvaluationCell& cell) {
  Interruptible stop(host_);
  const CellModel& model = cells_.models[cell.model];
  const RunSettings& settings = cell.settings;
  std::vector<std::int32_t> ids = ids_of(cell.model, cell.text);
  require_tokens(cells_.texts[cell.text], std::ssize(ids), *settings.tokens);
  ids.resize(static_cast<std::size_t>(*settings.tokens));
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
  const std::string folder = cell_folder(folder_.path(), cell.id);
  begin_cell(folder, cell.inputs);
  RunFolder record(folder, description, true);
  const RunSummary summary = run_recorded(session, description, &record, observer_, stop.control);
  if (summary.cancelled) throw_stopped(cell.id);
  record.finish(summary);
  json numbers = evaluation_numbers(folder, cell, model);
  CARRYOVER_CHECK(!numbers.is_null());
  finish(cell.id, std::move(numbers));
}

void ExperimentCampaign::write_reports() const {
  json environment;
  for (const EvaluationCell& cell : cells_.evaluations) {
    if (!is_finished(cell.id) || is_from_elsewhere(numbers_.at(cell.id))) continue;
    const json config = read_json_file(path_in(cell_folder(folder_.path(), cell.id), "config.json"));
    environment = config.value("environment", json::object());
    environment.erase("processor_flags");
    environment["device"] = config.value("device", "");
    environment["threads"] = config.value("threads", 0);
    break;
  }
  const json results = experiment_results(plan_, cells_, numbers_, environment);
  const std::string where = folder_.file("results.json");
  folder_.write("results.json", json_text(results, 1) + "\n");
  folder_.write_tables([&](TableFormat format) { return experiment_table(results, format, where); });
  folder_.write("report.md", experiment_report(results, where));
}

}  // namespace carryover
