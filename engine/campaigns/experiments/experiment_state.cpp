// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_state.h"

#include <algorithm>
#include <array>
#include <set>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::array kStatuses{CellStatus::Pending, CellStatus::Running, CellStatus::Done, CellStatus::Failed};
constexpr int kStateFormat = 1;

CellStatus status_of(const json& value, const std::string& where) {
  for (const CellStatus status : kStatuses)
    if (value == cell_status_name(status)) return status;
  refuse_field(where, "status", "is not known", "Use a file that `carryover experiment` wrote.");
}

json cell_json(const CellState& cell) {
  json object{{"id", cell.id},
              {"kind", cell.training ? "training" : "evaluation"},
              {"model", cell.model},
              {"recipe", cell.recipe},
              {"seed", cell.seed ? json(*cell.seed) : json()},
              {"status", cell_status_name(cell.status)},
              {"seconds", cell.seconds},
              {"expected_seconds", cell.expected_seconds},
              {"loss", cell.loss ? json(*cell.loss) : json()}};
  if (!cell.training) {
    object["evaluation"] = cell.evaluation;
    object["text"] = cell.text;
  }
  if (cell.started != 0) object["started"] = cell.started;
  if (!cell.error.empty()) object["error"] = cell.error;
  if (cell.left_out) object["left_out"] = true;
  return object;
}

CellState cell_of(const json& object, const std::string& where) {
  const JsonFields fields(object, where);
  CellState cell;
  const auto text = [&](const char* key) { return fields.find_text(key).value_or(""); };
  cell.id = text("id");
  if (!is_hex(cell.id, 16))
    refuse_field(where, "id", "is not 16 hex digits", "Use a file that `carryover experiment` wrote.");
  cell.training = text("kind") == "training";
  cell.model = text("model");
  cell.recipe = text("recipe");
  cell.evaluation = text("evaluation");
  cell.text = text("text");
  if (const json* seed = fields.find("seed")) cell.seed = read_unsigned(*seed, where, "seed");
  cell.status = status_of(object.value("status", json()), where);
  cell.started = fields.find_integer("started").value_or(0);
  cell.seconds = fields.find_number("seconds").value_or(0);
  cell.expected_seconds = fields.find_number("expected_seconds").value_or(0);
  cell.loss = fields.find_number("loss");
  cell.error = text("error");
  cell.left_out = fields.find_flag("left_out").value_or(false);
  return cell;
}

}  // namespace

std::string_view cell_status_name(CellStatus status) {
  switch (status) {
    case CellStatus::Pending:
      return "pending";
    case CellStatus::Running:
      return "running";
    case CellStatus::Done:
      return "done";
    case CellStatus::Failed:
      return "failed";
  }
  return "";
}

std::size_t ExperimentState::count(CellStatus wanted) const {
  return static_cast<std::size_t>(std::ranges::count(cells, wanted, &CellState::status));
}

std::size_t ExperimentState::left_out() const {
  return static_cast<std::size_t>(std::ranges::count(cells, true, &CellState::left_out));
}

std::size_t ExperimentState::wanted_done() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cells, [](const CellState& cell) { return !cell.left_out && cell.status == CellStatus::Done; }));
}

double ExperimentState::expected_seconds_left() const {
  double seconds = 0;
  for (const CellState& cell : cells) {
    if (cell.left_out) continue;
    if (cell.status == CellStatus::Pending) seconds += cell.expected_seconds;
    if (cell.status == CellStatus::Running) seconds += std::max(0.0, cell.expected_seconds - cell.seconds);
  }
  return seconds;
}

void ExperimentState::stop() {
  if (status == CellStatus::Running) status = CellStatus::Pending;
  for (CellState& cell : cells) {
    if (cell.status != CellStatus::Running) continue;
    cell.status = CellStatus::Pending;
    cell.started = 0;
  }
}

ExperimentState experiment_state(const ExperimentPlan& plan, const ExperimentCells& cells) {
  ExperimentState state;
  state.name = plan.name;
  state.title = plan.title;
  state.plan_file = plan.where;
  state.plan = plan.file;
  std::set<std::string> listed, wanted;
  for (const CellGroup& group : cells.groups) {
    if (plan.runs(group.recipe)) {
      if (group.training) wanted.insert(cells.trainings[*group.training].id);
      for (const std::size_t index : group.uses) wanted.insert(cells.evaluations[cells.uses[index].cell].id);
    }
    CellState common;
    common.model = cells.models[group.model].name;
    common.recipe = group.recipe;
    common.seed = group.seed;
    if (group.training && listed.insert(cells.trainings[*group.training].id).second) {
      CellState training = common;
      training.id = cells.trainings[*group.training].id;
      training.training = true;
      state.cells.push_back(std::move(training));
    }
    for (const std::size_t index : group.uses) {
      const CellUse& use = cells.uses[index];
      if (!listed.insert(cells.evaluations[use.cell].id).second) continue;
      CellState cell = common;
      cell.id = cells.evaluations[use.cell].id;
      cell.evaluation = use.evaluation;
      cell.text = cells.texts[use.text].file;
      state.cells.push_back(std::move(cell));
    }
  }
  for (CellState& cell : state.cells) cell.left_out = !wanted.contains(cell.id);
  return state;
}

std::string experiment_state_path(const std::string& experiment) {
  return path_in(experiment, "experiment.json");
}

void write_experiment_state(const std::string& experiment, const ExperimentState& state) {
  json cells = json::array();
  for (const CellState& cell : state.cells) cells.push_back(cell_json(cell));
  json object{{"format", kStateFormat},
              {"name", state.name},
              {"title", state.title},
              {"plan_file", state.plan_file},
              {"status", cell_status_name(state.status)},
              {"cells", std::move(cells)},
              {"plan", state.plan}};
  if (state.command) object["command"] = request_json(*state.command);
  write_file_atomically(experiment_state_path(experiment), json_text(object, 1) + "\n");
}

ExperimentState read_experiment_state(const std::string& experiment) {
  const std::string where = experiment_state_path(experiment);
  const json object = read_json_file(where);
  const JsonFields fields(object, where);
  if (fields.integer("format") != kStateFormat)
    refuse_field(where, "format", "is of another version", "Read it with the version that wrote it.");
  ExperimentState state;
  state.name = fields.find_text("name").value_or("");
  state.title = fields.find_text("title").value_or("");
  state.plan_file = fields.find_text("plan_file").value_or("");
  state.status = status_of(object.value("status", json()), where);
  state.plan = object.value("plan", json());
  if (const json* command = fields.find("command")) state.command = request_of(*command, where);
  const json* cells = fields.find("cells");
  if (cells == nullptr || !cells->is_array())
    refuse_field(where, "cells", "is not a list", "Use a file that `carryover experiment` wrote.");
  for (const json& cell : *cells) state.cells.push_back(cell_of(cell, where));
  return state;
}

void CellPace::guess(const CellWork& kind, double flops_per_second) {
  done_[kind_of(kind)].guessed = flops_per_second;
}

void CellPace::add(const CellWork& work, double seconds) {
  Done& done = done_[kind_of(work)];
  done.flops += work.flops;
  done.seconds += seconds;
}

bool CellPace::knows(const CellWork& kind) const {
  const auto found = done_.find(kind_of(kind));
  return found != done_.end() && (found->second.seconds > 0 || found->second.guessed > 0);
}

double CellPace::seconds(const CellWork& work) const {
  const auto found = done_.find(kind_of(work));
  if (found == done_.end()) return 0;
  const Done& done = found->second;
  const double rate = done.seconds > 0 ? done.flops / done.seconds : done.guessed;
  return rate > 0 ? work.flops / rate : 0;
}

}  // namespace carryover
