// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/earlier_results.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/campaigns/experiments/results_view.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Removes from an entry the fields that experiment_results() adds to a cell's own numbers.
json without(json entry, std::initializer_list<const char*> added) {
  for (const char* key : added) entry.erase(key);
  return entry;
}

json maker_of(const ResultsView& view) {
  json maker{{"processor", view.processor}, {"version", view.version}};
  if (!view.commit.empty()) maker["commit"] = view.commit;
  return maker;
}

/// Returns all its cells by id, in the form of training_numbers() and evaluation_numbers().
CellNumbers cells_of(const json& results, const ResultsView& view) {
  CellNumbers cells;
  const json maker = maker_of(view);
  const auto add = [&](const json& entry, std::initializer_list<const char*> added) {
    json numbers = without(entry, added);
    numbers.emplace("made_by", maker);  // which stays, where the results had it from elsewhere
    cells[entry.at("cell").get<std::string>()] = std::move(numbers);
  };
  for (const json& training : results.at("trainings")) add(training, {"cell", "model", "recipe", "seed", "fields"});
  for (const json& run : results.at("runs"))
    for (const json& text : run.at("texts")) add(text, {"cell", "file"});
  return cells;
}

/// Has a mean, and the same lengths as this plan's, so that tables of both say the same.
bool fits(const json& numbers, const EvaluationCell& cell) {
  if (!(numbers.at("targets").get<double>() > 0) || !std::isfinite(numbers.at("nll_sum").get<double>())) return false;
  std::vector<std::int64_t> found;
  for (const json& length : numbers.at("lengths")) found.push_back(length.at("tokens").get<std::int64_t>());
  return found == cell.lengths;
}

}  // namespace

bool is_from_elsewhere(const json& numbers) {
  return numbers.contains("made_by");
}

void add_earlier_cells(CellNumbers& finished, const json& results, const std::string& where,
                       const ExperimentCells& cells) {
  CellNumbers earlier;
  try {
    earlier = cells_of(results, results_view(results, where));
    for (const EvaluationCell& cell : cells.evaluations)
      if (const auto found = earlier.find(cell.id); found != earlier.end() && !fits(found->second, cell))
        earlier.erase(found);
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("is not a results.json: ") + error.what(),
                      "Use a results.json that `carryover experiment` wrote.");
  }
  for (const CellGroup& group : cells.groups) {
    std::vector<std::string> ids;
    for (const std::size_t use : group.uses) ids.push_back(cells.evaluations[cells.uses[use].cell].id);
    if (group.training) {
      const std::string& training = cells.trainings[*group.training].id;
      if (finished.contains(training)) continue;
      ids.push_back(training);
      if (!std::ranges::all_of(ids, [&](const std::string& id) { return earlier.contains(id); })) continue;
    }
    for (const std::string& id : ids)
      if (const auto found = earlier.find(id); found != earlier.end()) finished.emplace(id, found->second);
  }
}

}  // namespace carryover
