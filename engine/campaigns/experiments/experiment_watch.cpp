// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_watch.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/campaigns/kernel/campaign_folder.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

json read_small_json(const std::string& path) {
  require_watched_size(path, file_stamp(path).size, "experiment");
  return read_json_file(path, JsonKind::Results);
}

/// Returns the last whole line of a file that another process appends to; empty where there is none.
std::string last_line(const std::string& path) {
  constexpr std::int64_t kTailBytes = 256 << 10;  // in which it lies
  if (file_stamp(path) == FileStamp{}) return {};
  const InputFile file(path);
  std::string tail = file.read_up_to(std::max<std::int64_t>(0, file.size() - kTailBytes), kTailBytes);
  const std::size_t end = tail.rfind('\n');
  if (end == std::string::npos) return {};
  tail.resize(end);
  return tail.substr(tail.rfind('\n') + 1);
}

/// A validation's line has a step too.
std::int64_t steps_done(const std::string& folder) {
  const std::string path = path_in(folder, "metrics.jsonl"), line = last_line(path);
  if (line.empty()) return 0;
  return JsonFields(parse_json(line, path), path).find_integer("step").value_or(0);
}

std::int64_t tokens_done(const std::string& folder) {
  const std::string path = path_in(folder, "segments.jsonl"), line = last_line(path);
  if (line.empty()) return 0;
  const json record = parse_json(line, path);
  const JsonFields fields(record, path);
  const std::int64_t first = fields.integer("first_token"), length = fields.integer("length");
  return first >= 0 && length >= 0 && first <= INT64_MAX - length ? first + length : 0;
}

void take_figures(std::map<std::string, CellFigures, std::less<>>& figures, const json& entry, const std::string& where,
                  CellFigures cell) {
  const JsonFields fields(entry, where);
  cell.tokens = fields.find_number("tokens");
  cell.attention_kv_bytes = fields.find_number("attention_kv_bytes");
  cell.sinks_lost = fields.find_number("sinks_lost_share");
  cell.peak_memory_bytes = fields.find_number("peak_memory_bytes");
  if (const auto id = fields.find_text("cell")) figures.try_emplace(*id, cell);
}

const json& list_of(const JsonFields& fields, const char* key) {
  static const json none = json::array();
  const json* list = fields.find(key);
  return list != nullptr && list->is_array() ? *list : none;
}

bool claims_to_run(const ExperimentState& state) {
  return state.status == CellStatus::Running || state.count(CellStatus::Running) > 0;
}

}  // namespace

std::map<std::string, CellFigures, std::less<>> cell_figures(const json& results, const std::string& where) {
  const JsonFields fields(results, where);
  std::map<std::string, CellFigures, std::less<>> figures;
  for (const json& training : list_of(fields, "trainings")) take_figures(figures, training, where, {});
  for (const json& run : list_of(fields, "runs")) {
    const JsonFields settings(run, where);
    const json none = json::object();
    const json* config = settings.find("config");
    const JsonFields segmentation(config != nullptr ? *config : none, where);
    CellFigures common;
    common.segment = segmentation.find_number("segment_length");
    common.carry = segmentation.find_number("carry_length");
    common.retrieved = segmentation.find_number("retrieval_length");
    common.sinks = segmentation.find_number("sink_length");
    for (const json& text : list_of(settings, "texts")) take_figures(figures, text, where, common);
  }
  return figures;
}

std::optional<CellProgress> cell_progress(const std::string& folder, bool training) {
  try {
    const std::string path = path_in(folder, "config.json");
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return std::nullopt;
    const json config = read_small_json(path);
    CellProgress progress;
    progress.all = JsonFields(config, path).integer(training ? "max_steps" : "tokens");
    progress.done = training ? steps_done(folder) : tokens_done(folder);
    if (progress.all <= 0) return std::nullopt;
    progress.done = std::clamp<std::int64_t>(progress.done, 0, progress.all);
    return progress;
  } catch (const EngineError&) {
    return std::nullopt;  // it is being written, and is looked at again
  }
}

ExperimentWatch::ExperimentWatch(std::string experiment) : experiment_(std::move(experiment)) {}

std::shared_ptr<const ExperimentNews> ExperimentWatch::poll() {
  const bool state = read_state(), results = read_results(), progress = read_progress();
  if (!state && !results && !progress) return nullptr;
  return std::make_shared<const ExperimentNews>(news_);
}

void ExperimentWatch::take_state(const FileStamp& stamp) {
  state_stamp_.reset();  // where it can't be read, the next call tries again
  require_watched_size(experiment_state_path(experiment_), stamp.size, "experiment");
  news_.state = read_experiment_state(experiment_);
  news_.state.plan = nullptr;
  says_running_ = claims_to_run(news_.state);
  killed_ = false;
  state_stamp_ = stamp;
}

/// Its process writes that it runs after it has locked the folder, and that it has ended before it lets go. So a file
/// that says "running", a free lock, and the same file again: it was killed.
bool ExperimentWatch::read_state() {
  const std::string path = experiment_state_path(experiment_);
  bool changed = false;
  while (true) {
    if (const FileStamp stamp = file_stamp(path); stamp != state_stamp_) {
      take_state(stamp);
      changed = true;
    }
    if (!says_running_) return changed;
    const bool held = FolderLock::is_held(experiment_);
    if (!held && file_stamp(path) != state_stamp_) continue;  // it has ended meanwhile
    if (held != killed_) return changed;
    changed = true;
    if (held) {
      state_stamp_.reset();  // somebody continues it
      continue;
    }
    news_.state.stop();
    killed_ = true;
    return true;
  }
}

bool ExperimentWatch::read_results() {
  const std::string path = path_in(experiment_, "results.json");
  const FileStamp stamp = file_stamp(path);
  if (stamp == results_stamp_) return false;
  results_stamp_ = stamp;
  news_.problem.clear();
  news_.figures.clear();
  news_.drawable.reset();
  news_.too_much_to_draw = false;
  if (stamp == FileStamp{}) return true;
  try {
    const json results = read_small_json(path);
    news_.figures = cell_figures(results, path);
    ResultsView view = results_view(results, path);
    news_.too_much_to_draw = !is_drawable(view);
    if (news_.too_much_to_draw) return true;
    std::vector<ComparedLoss> comparisons = compared_losses(view);
    news_.drawable =
        std::make_shared<const ExperimentFigures>(ExperimentFigures{std::move(view), std::move(comparisons)});
  } catch (const EngineError& error) {
    news_.problem = error.what();
  }
  return true;
}

bool ExperimentWatch::read_progress() {
  std::map<std::string, CellProgress, std::less<>> now;
  for (const CellState& cell : news_.state.cells) {
    if (cell.status != CellStatus::Running) continue;
    if (now.size() == 16) break;  // one runs at a time; a crafted file may claim more
    if (const auto progress = cell_progress(cell_folder(experiment_, cell.id), cell.training))
      now.emplace(cell.id, *progress);
  }
  if (now == news_.progress) return false;
  news_.progress = std::move(now);
  return true;
}

}  // namespace carryover
