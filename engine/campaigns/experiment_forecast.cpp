// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiment_forecast.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/base/byte_size.h"
#include "engine/base/duration_text.h"
#include "engine/base/error.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/campaigns/experiments/earlier_results.h"
#include "engine/cost/training_cost.h"
#include "engine/training/records/teacher_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Forecast {
  double training = 0, reading = 0;  ///< seconds of what is not done
  std::size_t cells = 0, done = 0;
};

/// Throws where a text has fewer tokens than its longest run needs.
void check_texts(const ExperimentCells& cells, CampaignObserver& observer) {
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> needed;  // by model and text
  for (const EvaluationCell& cell : cells.evaluations) {
    std::int64_t& tokens = needed[{cell.model, cell.text}];
    tokens = std::max(tokens, *cell.settings.tokens);
  }
  for (const auto& [key, tokens] : needed) {
    const CellText& text = cells.texts[key.second];
    observer.status("reading " + text.file);
    require_tokens(text, std::ssize(text_ids(cells.models[key.first], text, tokens)), tokens);
  }
  observer.clear();
}

/// Returns the bytes still to be written: trained weights, runs, and the files that the largest training keeps while it
/// runs.
double bytes_to_write(const ExperimentCells& cells, const CellNumbers& finished) {
  constexpr double kRunBytesPerToken = 16, kRunBytes = 64 << 10;  // losses as text, ids; segments and descriptions
  double bytes = 0, kept_meanwhile = 0;
  for (const TrainingCell& cell : cells.trainings) {
    if (finished.contains(cell.id)) continue;
    const TrainingConfig& training = cell.plan.training;
    const TrainingCost cost = training_cost(cells.models[cell.model].config, cell.plan.config, training,
                                            cell.plan.policy, bytes_per_value(cell.plan.dtype));
    const double weights =
        static_cast<double>(cost.trainable_parameters) * static_cast<double>(bytes_per_value(cell.plan.dtype));
    bytes += weights;
    const double checkpoints =
        (weights + static_cast<double>(cost.memory.optimizer)) * static_cast<double>(training.save_total_limit + 1);
    const double teacher =
        training.distillation > 0 ? teacher_bytes(cell.plan, cells.models[cell.model].config.vocabulary) : 0;
    kept_meanwhile = std::max(kept_meanwhile, checkpoints + teacher);
  }
  for (const EvaluationCell& cell : cells.evaluations)
    if (!finished.contains(cell.id))
      bytes += kRunBytes + kRunBytesPerToken * static_cast<double>(*cell.settings.tokens);
  return bytes + kept_meanwhile;
}

/// Returns the free bytes of the disk that has, or will have, the folder; -1 where they are not known.
double free_bytes(const std::string& folder) {
  std::error_code code;
  fs::path path = fs::absolute(folder, code);
  while (!fs::exists(path, code) && path.has_parent_path() && path != path.parent_path()) path = path.parent_path();
  const fs::space_info space = fs::space(path, code);
  return code ? -1 : static_cast<double>(space.available);
}

std::string label(const ExperimentCells& cells, const CellGroup& group) {
  return (cells.models.size() > 1 ? cells.models[group.model].name + ", " : "") + group.recipe +
         (group.seed ? ", seed " + std::to_string(*group.seed) : "");
}

}  // namespace

double expected_seconds(CellPace& pace, const CellWork& work, const ExperimentCells& cells,
                        const ExperimentPlan& plan) {
  constexpr double kTrainingShare = 0.55, kReadingShare = 0.7;  // of the fastest matmul; docs/benchmarks.md
  if (!pace.knows(work)) {
    const DType dtype = work.dtype == DType::Q8 ? DType::BFloat16 : work.dtype;
    const double limit =
        measured_limits(cells.models[work.model].config, dtype, plan.device, plan.threads).best_flops_per_second();
    for (const auto& [training, share] : {std::pair{true, kTrainingShare}, {false, kReadingShare}}) {
      CellWork kind = work;
      kind.training = training;
      pace.guess(kind, limit * share);
    }
  }
  return pace.seconds(work);
}

std::string experiment_forecast(const ExperimentPlan& plan, const ExperimentCells& cells, const std::string& experiment,
                                const std::string& earlier, bool as_json, CampaignObserver& observer) {
  check_texts(cells, observer);
  const CellNumbers finished = finished_cells(cells, experiment, earlier, [](const auto&, const auto&) {});
  const auto work = cell_work(cells);
  CellPace pace;
  for (const auto& [id, numbers] : finished)
    if (!is_from_elsewhere(numbers)) pace.add(work.at(id), numbers.at("seconds").get<double>());

  std::set<std::string> counted;  // a cell that several groups use is of the first one
  std::string text = plan.title + "\n";
  json groups = json::array();
  Forecast all;
  for (const CellGroup& group : cells.groups) {
    if (!plan.runs(group.recipe)) continue;
    Forecast here;
    const auto count = [&](const std::string& id, double& seconds) {
      if (!counted.insert(id).second) return;
      ++here.cells;
      if (finished.contains(id))
        ++here.done;
      else
        seconds += expected_seconds(pace, work.at(id), cells, plan);
    };
    if (group.training) count(cells.trainings[*group.training].id, here.training);
    for (const std::size_t use : group.uses) count(cells.evaluations[cells.uses[use].cell].id, here.reading);
    text += "  " + label(cells, group) + ": " +
            (group.training ? "training " + forecast_duration(here.training) + ", " : "") + "evaluations " +
            forecast_duration(here.reading) + " (" + std::to_string(here.cells) + " cells" +
            (here.done > 0 ? ", " + std::to_string(here.done) + " done" : "") + ")\n";
    groups.push_back({{"label", label(cells, group)},
                      {"training_seconds", here.training},
                      {"reading_seconds", here.reading},
                      {"cells", here.cells},
                      {"done", here.done}});
    all = {all.training + here.training, all.reading + here.reading, all.cells + here.cells, all.done + here.done};
  }
  const double bytes = bytes_to_write(cells, finished), room = free_bytes(experiment);
  if (room >= 0 && bytes > room)
    throw EngineError(Fault::Io, experiment,
                      "needs about " + size_text(bytes) + ", and its disk has " + size_text(room) + " left",
                      "Choose another folder (--out), or a smaller save_total_limit.");
  const double seconds = all.training + all.reading;
  if (as_json)
    return json{{"groups", groups},
                {"cells", all.cells},
                {"done", all.done},
                {"seconds", seconds},
                {"bytes_to_write", bytes}}
               .dump(2) +
           "\n";
  return text + std::to_string(all.cells - all.done) + " of " + std::to_string(all.cells) + " cells to run: about " +
         forecast_duration(seconds) + " (trainings " + forecast_duration(all.training) + "), " + size_text(bytes) +
         " into " + experiment + ". Nothing was run.\n";
}

}  // namespace carryover
