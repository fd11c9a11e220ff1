// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/training_folder.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/formats/event_file.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/formats/whole_folder.h"
#include "engine/training/records/teacher_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kConfig = "config.json";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kFinal = "final";
constexpr std::string_view kStepPrefix = "step-";

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct Checkpoint {
  std::int64_t step;
  std::string path;
};

/// Whole ones, ascending: what is not whole has another name.
std::vector<Checkpoint> find_checkpoints(const std::string& directory) {
  std::vector<Checkpoint> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(directory) / kCheckpoints, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kStepPrefix) || !entry.is_directory(ignored)) continue;
    std::int64_t step = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + kStepPrefix.size(), end, step);
    if (error == std::errc() && stop == end && step >= 0) found.push_back({step, entry.path().string()});
  }
  std::sort(found.begin(), found.end(), [](const Checkpoint& a, const Checkpoint& b) { return a.step < b.step; });
  return found;
}

void refuse_used_folder(const std::string& directory) {
  std::error_code ignored;
  for (const char* name : {kConfig, kMetrics, kCheckpoints, kFinal}) {
    if (!fs::exists(fs::path(directory) / name, ignored)) continue;
    throw EngineError(Fault::Usage, directory, std::string("already holds a run (") + name + ")",
                      "Choose another folder, or continue that run: --resume.");
  }
}

/// Refuses a folder with symbolic links in place of the files that a training writes and removes: somebody else may
/// have made it.
void refuse_links(const std::string& directory) {
  std::error_code ignored;
  for (const char* name : {kConfig, kMetrics, kCheckpoints, kFinal, kTeacherFile})
    if (const fs::path path = fs::path(directory) / name; fs::is_symlink(fs::symlink_status(path, ignored)))
      throw EngineError(Fault::BadInput, path.string(),
                        "is a symbolic link, and a training would write and remove files where it leads",
                        "Put what it leads to in its place, or choose another folder.");
}

/// Lines of metrics.jsonl, and the step of the last validation among them; 0: none.
struct KeptLines {
  std::string text;
  std::int64_t last_validation = 0;
};

/// The lines up to and with `step`. They were on the disk before its checkpoint was; what follows the first newer one,
/// or one that a crash broke, is newer, too.
KeptLines lines_until(const std::string& path, std::int64_t step) {
  std::error_code ignored;
  KeptLines kept;
  if (!fs::exists(path, ignored)) return kept;
  InputLines input(path);
  for (std::string line; input.next(line) && input.ended();) {
    const json object = find_json(line).value_or(nullptr);
    const bool is_older = object.is_object() && object.contains("step") && object["step"].is_number_integer() &&
                          object["step"].get<std::int64_t>() <= step;
    if (!is_older) break;
    kept.text += line + "\n";
    if (object.contains("validation")) kept.last_validation = object["step"].get<std::int64_t>();
  }
  return kept;
}

using Scalars = std::vector<std::pair<std::string, double>>;

Scalars scalars_of(const StepRecord& record) {
  Scalars scalars{{"loss", record.loss},
                  {"learning_rate", record.learning_rate},
                  {"gradient_norm", record.gradient_norm},
                  {"tokens_per_second", record.tokens_per_second}};
  if (record.distillation_loss) scalars.emplace_back("distillation_loss", *record.distillation_loss);
  if (record.recall_loss) scalars.emplace_back("recall_loss", *record.recall_loss);
  const json memory = record.memory;
  for (const auto& [kind, bytes] : memory.items()) {
    scalars.emplace_back("memory/" + kind, bytes.get<double>());
  }
  for (const GradientReach& reach : record.reach) {
    scalars.emplace_back("reach/transition_" + std::to_string(reach.transition) + "_age_" + std::to_string(reach.age),
                         reach.norm);
  }
  return scalars;
}

Scalars scalars_of(const ValidationRecord& record) {
  Scalars scalars;
  for (const ValidationRecord::Length& entry : record.lengths) {
    scalars.emplace_back("validation/ppl_" + std::to_string(entry.length), std::exp(entry.nll_mean));
  }
  return scalars;
}

}  // namespace

struct TrainingFolder::State {
  State(const std::string& folder, OutputFile::Existing existing, std::unique_ptr<const FolderLock> held)
      : directory(folder), lock(std::move(held)), metrics(path(kMetrics), existing), events(folder, now_seconds()) {}

  std::string path(const std::string& name) const { return (fs::path(directory) / name).string(); }

  template <typename Record>
  void append(const Record& record, std::int64_t& recorded) {
    const Scalars scalars = scalars_of(record);
    if (record.step > recorded) metrics.append(json_text(record) + "\n");
    recorded = record.step;
    events.add_scalars(record.step, now_seconds(), scalars);
  }

  std::string directory;
  std::unique_ptr<const FolderLock> lock;
  OutputFile metrics;
  EventFile events;
  std::int64_t last_step = 0, last_validation = 0;  ///< in metrics
};

TrainingFolder::TrainingFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrainingFolder::TrainingFolder(TrainingFolder&&) noexcept = default;
TrainingFolder::~TrainingFolder() = default;

std::unique_ptr<TrainingFolder::State> TrainingFolder::begin(const TrainingPlan& plan, const json& environment,
                                                             std::unique_ptr<const FolderLock> lock) {
  const fs::path directory = plan.output_dir;
  json config = plan_json(plan);
  config["environment"] = environment;
  write_file_atomically((directory / kConfig).string(), json_text(config, 2) + "\n");
  make_folder((directory / kCheckpoints).string());
  auto state = std::make_unique<State>(plan.output_dir, OutputFile::Existing::Replace, std::move(lock));
  sync_folder(plan.output_dir);
  return state;
}

TrainingFolder TrainingFolder::create(const TrainingPlan& plan, const json& environment) {
  const std::string& directory = plan.output_dir;
  make_folder(directory);
  std::error_code ignored;
  refuse_links(directory);
  const bool locked_before = fs::exists(fs::path(directory) / "lock", ignored);
  if (!locked_before) refuse_used_folder(directory);  // a folder of another kind gets no lock file from us
  auto lock = std::make_unique<const FolderLock>(directory);
  refuse_used_folder(directory);
  try {
    return TrainingFolder(begin(plan, environment, std::move(lock)));
  } catch (...) {  // so that another try finds no run here
    for (const char* name : {kConfig, kMetrics, kCheckpoints}) fs::remove(fs::path(directory) / name, ignored);
    throw;
  }
}

TrainingFolder TrainingFolder::resume(const std::string& directory) {
  std::error_code ignored;
  if (!fs::exists(fs::path(directory) / kConfig, ignored)) {
    throw EngineError(Fault::Io, directory, "holds no training run (there is no config.json)",
                      "Name the folder of a run that was begun.");
  }
  refuse_links(directory);
  auto lock = std::make_unique<const FolderLock>(directory);
  for (const char* own : {kConfig, kMetrics, kTeacherFile}) remove_unfinished((fs::path(directory) / own).string());
  remove_leftover_folders(directory);
  remove_leftover_folders((fs::path(directory) / kCheckpoints).string());
  const std::vector<Checkpoint> checkpoints = find_checkpoints(directory);
  const std::int64_t step = checkpoints.empty() ? 0 : checkpoints.back().step;
  const std::string metrics = (fs::path(directory) / kMetrics).string();
  const KeptLines kept = lines_until(metrics, step);
  write_file_atomically(metrics, kept.text);
  auto state = std::make_unique<State>(directory, OutputFile::Existing::Continue, std::move(lock));
  state->last_validation = kept.last_validation;
  state->events.forget_from(step + 1, now_seconds());
  sync_folder(directory);
  return TrainingFolder(std::move(state));
}

const std::string& TrainingFolder::directory() const {
  return state_->directory;
}

void TrainingFolder::append(const StepRecord& record) {
  state_->append(record, state_->last_step);
}

void TrainingFolder::append(const ValidationRecord& record) {
  state_->append(record, state_->last_validation);
}

std::int64_t TrainingFolder::last_validation() const {
  return state_->last_validation;
}

std::string TrainingFolder::save_checkpoint(std::int64_t step, std::int64_t keep,
                                            const std::function<void(const std::string& directory)>& write) {
  CARRYOVER_CHECK(step >= 0 && keep >= 1);
  const std::string path =
      state_->path(std::string(kCheckpoints) + "/" + std::string(kStepPrefix) + std::to_string(step));
  state_->metrics.sync();
  write_whole_folder(path, ExistingFolder::Replace, write);
  const std::vector<Checkpoint> all = find_checkpoints(state_->directory);
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < all.size(); ++i) remove_whole_folder(all[i].path);
  return path;
}

std::string TrainingFolder::save_final(const std::function<void(const std::string& directory)>& write) {
  state_->metrics.sync();
  write_whole_folder(state_->path(kFinal), ExistingFolder::Replace, write);
  return state_->path(kFinal);
}

std::optional<std::string> TrainingFolder::newest_checkpoint(const std::string& directory) {
  const std::vector<Checkpoint> all = find_checkpoints(directory);
  return all.empty() ? std::nullopt : std::optional(all.back().path);
}

StoredTraining read_training_folder(const std::string& directory) {
  const std::string config = (fs::path(directory) / kConfig).string();
  StoredTraining run;
  run.plan = plan_from_json(read_json_file(config), config);
  run.plan.output_dir = directory;
  MetricsFollower::News news = MetricsFollower(directory).poll();
  run.steps = std::move(news.steps);
  run.validations = std::move(news.validations);
  for (const Checkpoint& checkpoint : find_checkpoints(directory)) run.checkpoints.push_back(checkpoint.path);
  std::error_code ignored;
  const fs::path final_folder = fs::path(directory) / kFinal;
  if (fs::is_directory(final_folder, ignored)) run.final_folder = final_folder.string();
  return run;
}

}  // namespace carryover
