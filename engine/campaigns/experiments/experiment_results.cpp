// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "engine/base/error.h"
#include "engine/campaigns/experiments/earlier_results.h"
#include "engine/campaigns/experiments/results_view.h"
#include "engine/campaigns/kernel/loss_bins.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/values/snapshot_check.h"
#include "engine/training/records/training_folder.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kCellFile = "cell.json";

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool has_inputs(const std::string& folder, const json& inputs) {
  const std::string path = path_in(folder, kCellFile);
  if (!is_there(path)) return false;
  const json cell = read_json_file(path, JsonKind::Results);
  return cell.is_object() && cell.contains("inputs") && cell["inputs"] == inputs;
}

/// Sums in files have four decimals: their error is far below a mean's last printed digit.
double rounded(double sum) {
  return std::round(sum * 1e4) / 1e4;
}

struct Sum {
  std::int64_t count = 0;
  double nll = 0;
  void add(double value) {
    ++count;
    nll += value;
  }
};

/// The loss of a target, and the place in the text of the token that predicts it.
struct PlacedLoss {
  std::int64_t place;
  double nll;
};

/// Returns the loss of every target with its place. Without cross_boundary_target, the last token of a segment predicts
/// none.
std::vector<PlacedLoss> placed_losses(const StoredRun& run, const SnapshotLimits& limits) {
  const std::string path = path_in(run.directory, "segments.jsonl");
  std::vector<PlacedLoss> losses;
  SegmentPlace place;
  std::int64_t targets = 0;
  for (const SegmentRecord& record : run.segments) {
    check_record(record, place, limits, path + ":" + std::to_string(place.index + 1));
    for (std::int64_t i = 0; i < record.targets && losses.size() < run.target_nll.size(); ++i)
      losses.push_back({record.first_token + i, static_cast<double>(run.target_nll[losses.size()])});
    place = place.after(record);
    targets += record.targets;
  }
  if (targets != std::ssize(run.target_nll))
    throw EngineError(Fault::BadInput, path, "has another number of targets than nll.json has losses",
                      "Remove the cell's folder; the cell is run again.");
  return losses;
}

/// Returns the summed losses by segment.
json segment_sums(const std::vector<PlacedLoss>& losses, std::int64_t segment) {
  std::vector<Sum> segments;
  for (const PlacedLoss& loss : losses) {
    const auto index = static_cast<std::size_t>(loss.place / segment);
    if (index >= segments.size()) segments.resize(index + 1);
    segments[index].add(loss.nll);
  }
  json sums = json::array();
  for (const Sum& sum : segments) sums.push_back({sum.count, rounded(sum.nll)});
  return sums;
}

/// [first offset of the bin, targets, sum]: bins 0, 1, 2…3, 4…7, … of the place, within its segment, of the token that
/// predicts. The first segment is left out: nothing lies before it.
json offset_sums(const std::vector<PlacedLoss>& losses, std::int64_t segment) {
  LossBins bins;
  for (const PlacedLoss& loss : losses)
    if (loss.place >= segment) bins.add(loss.place % segment, loss.nll);
  json sums = json::array();
  for (const LossBins::Bin& bin : bins.all()) sums.push_back({bin.first, bin.targets, rounded(bin.nll)});
  return sums;
}

/// Returns the summed losses of the text's first tokens, for each length: of all targets among them. A BOS may stand
/// before them.
json length_sums(const std::vector<PlacedLoss>& losses, const EvaluationCell& cell, const CellModel& model) {
  const RunSettings& settings = cell.settings;
  const CostModel cost = cost_model(model.config, settings.config, settings.dtype);
  json sums = json::array();
  for (const std::int64_t length : cell.lengths) {
    const std::int64_t read = length + (settings.config.bos ? 1 : 0);
    Sum sum;
    for (const PlacedLoss& loss : losses)
      if (loss.place + 1 < read) sum.add(loss.nll);
    sums.push_back({{"tokens", length},
                    {"targets", sum.count},
                    {"nll_sum", rounded(sum.nll)},
                    {"attention_kv_bytes", policy_row(settings.policy).memory(cost, read, {}).attention_kv}});
  }
  return sums;
}

std::string file_name(const std::string& path) {
  return fs::path(path).filename().string();
}

json files_of(const std::vector<std::string>& paths) {
  json files = json::array();
  for (const std::string& path : paths) files.push_back(file_name(path));
  return files;
}

/// The plan's fields of a training, without what names this machine's folders.
json published_fields(const TrainingPlan& plan) {
  json fields = plan_json(plan);
  for (const char* own : {"model", "output_dir", "data", "threads", "device"}) fields.erase(own);
  fields["data"] = files_of(plan.data);
  return fields;
}

json seed_json(const std::optional<std::uint64_t>& seed) {
  return seed ? json(*seed) : json();
}

json named(const std::string& name, const std::string& title) {
  return {{"name", name}, {"title", title}};
}

/// Returns the part of the results that comes from the plan: names and titles, the same for every run.
json planned(const ExperimentPlan& plan, const ExperimentCells& cells) {
  json results{{"format", kResultsFormat},
               {"experiment", plan.name},
               {"title", plan.title},
               {"about", plan.about},
               {"lengths", plan.lengths},
               {"seeds", plan.seeds},
               {"dtype", dtype_name(plan.dtype)}};
  for (const char* list : {"models", "texts", "recipes", "evaluations", "comparisons"}) results[list] = json::array();
  for (const CellModel& model : cells.models)
    results["models"].push_back({{"name", model.name},
                                 {"title", model.config.name},
                                 {"file", file_name(model.path)},
                                 {"parameters", model.config.parameters()},
                                 {"weights_hash", model.weights_hash}});
  for (const CellText& text : cells.texts)
    results["texts"].push_back(
        {{"file", text.file}, {"title", text.title}, {"author", text.author}, {"sha256", text.sha256}});
  for (const PlanRecipe& recipe : plan.recipes) results["recipes"].push_back(named(recipe.name, recipe.title));
  for (const PlanEvaluation& evaluation : plan.evaluations)
    results["evaluations"].push_back(named(evaluation.name, evaluation.title));
  for (const PlanComparison& comparison : plan.comparisons)
    results["comparisons"].push_back({{"title", comparison.title},
                                      {"of", {comparison.of.recipe, comparison.of.evaluation}},
                                      {"against", {comparison.against.recipe, comparison.against.evaluation}}});
  return results;
}

json training_entry(const ExperimentCells& cells, const CellGroup& group, const TrainingCell& cell, json numbers) {
  numbers.update({{"cell", cell.id},
                  {"model", cells.models[group.model].name},
                  {"recipe", group.recipe},
                  {"seed", seed_json(group.seed)},
                  {"fields", published_fields(cell.plan)}});
  return numbers;
}

/// Returns the entry of a run, without its texts.
json run_entry(const ExperimentCells& cells, const CellUse& use, const EvaluationCell& cell) {
  return {{"model", cells.models[use.model].name}, {"recipe", use.recipe},
          {"seed", seed_json(use.seed)},           {"evaluation", use.evaluation},
          {"policy", cell.settings.policy},        {"prefix", cell.settings.prefix},
          {"control_seed", cell.settings.seed},    {"dtype", dtype_name(cell.settings.dtype)},
          {"config", cell.settings.config},        {"texts", json::array()}};
}

}  // namespace

void begin_cell(const std::string& folder, const json& inputs) {
  make_folder(folder, "Choose another folder (--out).");
  if (has_inputs(folder, inputs)) return;
  if (is_there(path_in(folder, kCellFile)))
    throw EngineError(Fault::BadInput, folder, "was made from other inputs than its name states",
                      "Remove it; it is written again.");
  write_file_atomically(path_in(folder, kCellFile), json{{"inputs", inputs}}.dump(2) + "\n");
}

json training_numbers(const TrainingCell& cell) {
  const std::string& folder = cell.plan.output_dir;
  if (!is_there(path_in(folder, "final")) || !has_inputs(folder, cell.inputs)) return nullptr;
  const StoredTraining run = read_training_folder(folder);
  if (run.final_folder.empty() || run.steps.empty() || run.steps.back().step != cell.plan.training.max_steps)
    return nullptr;
  double seconds = 0;
  std::int64_t peak = 0;
  std::int64_t skipped = 0;
  for (const StepRecord& step : run.steps) {
    seconds += step.seconds;
    peak = std::max(peak, step.memory.device_peak);
    skipped += step.skipped ? 1 : 0;
  }
  json losses = json::array();  // of tenths of the steps, so that a curve can be drawn without the folder
  const std::size_t steps = run.steps.size(), parts = std::min<std::size_t>(10, steps);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * steps / parts, last = (part + 1) * steps / parts;
    Sum sum;
    for (std::size_t i = first; i < last; ++i)  // a step that an alert left out need not have a number as its loss
      if (!run.steps[i].skipped && std::isfinite(run.steps[i].loss)) sum.add(run.steps[i].loss);
    if (sum.count > 0) losses.push_back({run.steps[last - 1].step, rounded(sum.nll / static_cast<double>(sum.count))});
  }
  json numbers{{"steps", run.steps.back().step},
               {"tokens", run.steps.back().tokens},
               {"seconds", seconds},
               {"skipped_steps", skipped},
               {"losses", losses},
               {"peak_memory_bytes", peak}};
  json validations = json::array();
  for (const ValidationRecord& record : run.validations) validations.push_back(record);
  numbers["validations"] = std::move(validations);
  return numbers;
}

json evaluation_numbers(const std::string& folder, const EvaluationCell& cell, const CellModel& model) {
  if (!is_there(path_in(folder, "summary.json")) || !has_inputs(folder, cell.inputs)) return nullptr;
  const StoredRun run = read_run_numbers(folder);
  const JsonFields summary(*run.summary, path_in(folder, "summary.json"));
  if (summary.find_flag("cancelled").value_or(true)) return nullptr;
  if (summary.integer("targets") != std::ssize(run.target_nll) || run.target_nll.empty()) return nullptr;
  const SegmentConfig& config = cell.settings.config;
  const std::vector<PlacedLoss> losses =
      placed_losses(run, snapshot_limits(model.config, config, summary.integer("tokens")));
  double nll = 0;
  for (const PlacedLoss& loss : losses) nll += loss.nll;
  if (!std::isfinite(nll))  // no table could be made with it
    throw EngineError(Fault::BadInput, path_in(folder, "nll.json"), "has losses that are not numbers",
                      "Look for the cause in the model: its weights or its training.");
  const auto memory = run.summary->value("memory", MemoryBytes{});
  json numbers{{"run_id", run.config->value("run_id", "")},
               {"weights_hash", summary.find_text("weights_hash").value_or("")},
               {"tokens", summary.integer("tokens")},
               {"targets", summary.integer("targets")},
               {"nll_sum", rounded(nll)},
               {"lengths", length_sums(losses, cell, model)},
               {"segments", segment_sums(losses, config.segment_length)},
               {"offsets", offset_sums(losses, config.segment_length)},
               {"attention_kv_bytes", memory.attention_kv},
               {"peak_memory_bytes", summary.integer("peak_memory_bytes")},
               {"seconds", summary.find_number("seconds").value_or(0)}};
  // The computing time excludes measuring sinks, which only the experiment does, and writing.
  const auto time = run.summary->value("time", SegmentTime{});
  if (const double computing = time.sum() - time.host; computing > 0) numbers["computing_seconds"] = computing;
  if (const auto share = summary.find_number("sinks_lost_share")) numbers["sinks_lost_share"] = *share;
  return numbers;
}

CellNumbers finished_cells(const ExperimentCells& cells, const std::string& experiment, const std::string& earlier,
                           const std::function<void(const std::string& id, const std::string& problem)>& unusable) {
  CellNumbers finished;
  const auto look = [&](const std::string& id, const auto& read) {
    try {
      json numbers = read();
      if (!numbers.is_null()) finished[id] = std::move(numbers);
    } catch (const EngineError& error) {
      unusable(id, error.what());
    }
  };
  for (const TrainingCell& cell : cells.trainings) look(cell.id, [&] { return training_numbers(cell); });
  for (const EvaluationCell& cell : cells.evaluations)
    look(cell.id, [&] { return evaluation_numbers(cell_folder(experiment, cell.id), cell, cells.models[cell.model]); });
  const std::string file = earlier.empty() ? path_in(experiment, kEarlierFile) : earlier;
  if (!earlier.empty() || is_there(file))
    add_earlier_cells(finished, read_json_file(file, JsonKind::Results), file, cells);
  return finished;
}

json experiment_results(const ExperimentPlan& plan, const ExperimentCells& cells, const CellNumbers& numbers,
                        const json& environment) {
  json results = planned(plan, cells);
  results["environment"] = environment;
  results["trainings"] = json::array();
  results["runs"] = json::array();
  std::set<std::string> unfinished;
  for (const CellGroup& group : cells.groups) {
    if (group.training) {
      const TrainingCell& cell = cells.trainings[*group.training];
      if (const auto found = numbers.find(cell.id); found != numbers.end())
        results["trainings"].push_back(training_entry(cells, group, cell, found->second));
      else
        unfinished.insert(cell.id);
    }
    json* run = nullptr;  // of one evaluation: settings once, then a text each
    for (const std::size_t index : group.uses) {
      const CellUse& use = cells.uses[index];
      const EvaluationCell& cell = cells.evaluations[use.cell];
      const auto found = numbers.find(cell.id);
      if (found == numbers.end()) {
        unfinished.insert(cell.id);
        continue;
      }
      if (run == nullptr || run->at("evaluation") != use.evaluation)
        run = &results["runs"].emplace_back(run_entry(cells, use, cell));
      json entry = found->second;
      entry["cell"] = cell.id;
      entry["file"] = cells.texts[use.text].file;
      run->at("texts").push_back(std::move(entry));
    }
  }
  results["unfinished_cells"] = unfinished.size();
  return results;
}

}  // namespace carryover
