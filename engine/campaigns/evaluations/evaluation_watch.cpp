// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/evaluation_watch.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/campaigns/evaluations/evaluation_results.h"
#include "engine/campaigns/kernel/campaign_folder.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr std::size_t kMostFollowedCells = 5000;

std::string plan_text(const std::string& path) {
  const InputFile file(path);
  require_watched_size(path, file.size(), "evaluation");
  return file.read_up_to(0, file.size());
}

/// Both factors are small: a list of a plan has at most 10 000 entries.
void require_followable(const EvaluationPlan& plan, const std::string& path) {
  check_plan(plan);
  const std::size_t rows = plan.tasks.size() * plan.lengths.size();
  if (rows > kMostFollowedCells || rows * plan.policies.size() > kMostFollowedCells)
    throw EngineError(Fault::BadInput, path, "has more than 5000 tasks, lengths and policies",
                      "Choose an evaluation that has fewer.");
}

bool has_other_cells(const EvaluationPlan& a, const EvaluationPlan& b) {
  return a.tasks != b.tasks || a.lengths != b.lengths || a.policies != b.policies || a.time != b.time ||
         a.model != b.model;
}

}  // namespace

std::optional<std::size_t> EvaluationNews::samples_of_row(std::size_t row) const {
  for (std::size_t column = 0; column < columns(); ++column)
    if (cell(row, column).done) return cell(row, column).entries.size();
  const std::int64_t asked =
      plan.limit > 0 && plan.samples > 0 ? std::min(plan.limit, plan.samples) : std::max(plan.limit, plan.samples);
  return asked > 0 ? std::optional(static_cast<std::size_t>(asked)) : std::nullopt;
}

std::shared_ptr<const EvaluationNews> EvaluationWatch::poll() {
  bool changed = read_plan();
  for (std::size_t i = 0; i < followed_.size(); ++i) changed = read_cell(i) || changed;
  changed = read_state() || changed;
  return changed ? std::make_shared<const EvaluationNews>(news_) : nullptr;
}

/// Its text is compared, since it is written once more with the model that was loaded, perhaps within a clock's tick.
bool EvaluationWatch::read_plan() {
  const std::string path = plan_path(folder_);
  std::string text = plan_text(path);
  if (plan_ && text == plan_text_) return false;
  EvaluationPlan plan = plan_of(parse_json(text, path), path);
  require_followable(plan, path);
  const bool others = !plan_ || has_other_cells(*plan_, plan);
  plan_ = std::move(plan);
  plan_text_ = std::move(text);
  news_.plan = *plan_;
  if (others) follow_cells();
  return true;
}

void EvaluationWatch::follow_cells() {
  followed_.clear();
  news_.cells.clear();
  problems_.clear();
  tasks_.clear();
  for (const std::string& task : plan_->tasks)
    for (const std::int64_t length : plan_->lengths)
      for (const std::string& policy : plan_->policies) {
        const std::string folder = policy_folder(*plan_, folder_, policy), key = cell_key(task, length);
        followed_.push_back({JournalTail(journal_path(folder, key)), sample_lines_path(*plan_, folder, key)});
        ScoreCell cell;
        cell.policy = policy;
        cell.task = task;
        cell.length = length;
        measure_cell(cell, this->task(task, {}));
        news_.cells.push_back(std::make_shared<const ScoreCell>(std::move(cell)));
      }
}

/// One that is absent knows its metric once there are samples.
const Task& EvaluationWatch::task(const std::string& name, const std::vector<SampleEntry>& entries) {
  std::unique_ptr<const Task>& task = tasks_[name];
  if (!task || task->info().metric.empty()) task = task_for_scores(name, entries);
  return *task;
}

bool EvaluationWatch::read_cell(std::size_t index) {
  Followed& followed = followed_[index];
  const ScoreCell& before = *news_.cells[index];
  const bool other = followed.journal.look();
  std::error_code code;
  const bool done = std::filesystem::exists(followed.lines, code);
  if (!other && done == before.done) return false;
  ScoreCell cell;
  cell.policy = before.policy;
  cell.task = before.task;
  cell.length = before.length;
  cell.done = done;
  cell.entries = followed.journal.entries();
  std::string problem = followed.journal.problem();
  try {
    measure_cell(cell, task(cell.task, cell.entries));
  } catch (const EngineError& error) {
    problem = error.what();
  }
  problem.empty() ? (void)problems_.erase(followed.lines) : (void)problems_.insert_or_assign(followed.lines, problem);
  news_.cells[index] = std::make_shared<const ScoreCell>(std::move(cell));
  return true;
}

bool EvaluationWatch::read_state() {
  bool running = false;
  std::string problem = problems_.empty() ? std::string() : problems_.begin()->second;
  try {
    running = FolderLock::is_held(folder_);
  } catch (const EngineError& error) {
    problem = error.what();
  }
  if (running == news_.running && problem == news_.problem) return false;
  news_.running = running;
  news_.problem = std::move(problem);
  return true;
}

std::vector<ResultsFile> live_results(const EvaluationNews& news) {
  std::vector<ResultsFile> files;
  for (std::size_t column = 0; column < news.columns(); ++column) {
    nlohmann::json tasks = nlohmann::json::array();
    for (std::size_t row = 0; row < news.rows(); ++row) {
      const ScoreCell& cell = news.cell(row, column);
      if (cell.entries.empty()) continue;
      const std::size_t available = std::max(cell.entries.size(), news.samples_of_row(row).value_or(0));
      const auto task = task_for_scores(cell.task, cell.entries);
      tasks.push_back(cell_results(*task, {cell.task, cell.length, available, cell.entries}, ""));
    }
    const std::string& policy = news.plan.policies[column];
    nlohmann::json results{
        {"carryover",
         {{"policy", policy}, {"model", {{"file", evaluated_name(news.plan.model)}}}, {"tasks", std::move(tasks)}}}};
    if (!results["carryover"]["tasks"].empty()) files.push_back({std::move(results), policy});
  }
  return files;
}

}  // namespace carryover
