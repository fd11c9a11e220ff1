// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the files of experiments that may be anybody's: plans (engine/campaigns/experiments/experiment_plan.h),
// published results and the state that a window watches; prompt sets and what came of them. An input is read as each of
// them.
#include <algorithm>
#include <filesystem>

#include "engine/campaigns/experiments/compared_losses.h"
#include "engine/campaigns/experiments/experiment_frontier.h"
#include "engine/campaigns/experiments/experiment_plan.h"
#include "engine/campaigns/experiments/experiment_report.h"
#include "engine/campaigns/experiments/experiment_state.h"
#include "engine/campaigns/prompts/prompt_report.h"
#include "engine/data/prompt_set.h"
#include "engine/formats/json_file.h"
#include "fuzz/support/json_mutator.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

/// Checks what running a plan relies on: every name in it leads to an entry of the plan.
void use(const ExperimentPlan& plan) {
  require(!plan.name.empty() && !plan.models.empty() && !plan.texts.empty() && !plan.lengths.empty(), "it is whole");
  for (const PlanRecipe& recipe : plan.recipes)
    for (const std::string& name : recipe.evaluations)
      require(plan.find_evaluation(name) != nullptr, "a recipe's evaluations are the plan's");
  for (const PlanComparison& comparison : plan.comparisons)
    for (const PlanCondition* side : {&comparison.of, &comparison.against})
      require(plan.find_recipe(side->recipe) && plan.find_evaluation(side->evaluation), "both sides are the plan's");
}

void read_results(std::string_view text) {
  nlohmann::json results;
  if (!accepts([&] { results = parse_json(text, "input"); })) return;
  const auto render = [&] {
    std::string all = experiment_report(results, "input");
    for (const TableFormat format : {TableFormat::Markdown, TableFormat::Csv, TableFormat::Latex})
      all += experiment_table(results, format, "input");
    return all;
  };
  std::string once;
  if (!accepts([&] { once = render(); })) return;
  require(render() == once, "the same results give the same text");
  const ResultsView view = results_view(results, "input");
  if (!is_drawable(view)) return;
  for (const std::int64_t length : view.lengths) {
    const auto points = experiment_frontier(view, view.first_model(), length).conditions;
    require(std::ranges::is_sorted(points, {}, &FrontierCondition::bytes), "the frontier is in the order of bytes");
  }
  for (const ComparedLoss& one : compared_losses(view)) {
    const MeanInterval& interval = one.difference.interval;  // few samples have none
    require(one.comparison < view.comparisons.size() && one.length < view.lengths.size() &&
                (!interval.has_bounds() || interval.low <= interval.high),
            "a difference is of the results and within its interval");
  }
}

void read_state(std::string_view text) {
  const std::string folder = scratch_folder();
  write_file(folder + "/experiment.json", text);
  ExperimentState state;
  if (!accepts([&] { state = read_experiment_state(folder); })) return;
  write_experiment_state(folder, state);
  const ExperimentState again = read_experiment_state(folder);
  require(again.cells.size() == state.cells.size() && again.name == state.name && again.plan == state.plan,
          "a state that was accepted is the same once it is written");
}

void read_prompts(std::string_view text) {
  const std::string path = scratch_folder() + "/input.jsonl";
  write_file(path, text);
  std::vector<PromptExample> examples;
  if (!accepts([&] { examples = read_prompt_set(path); })) return;
  require(!examples.empty(), "a prompt set has examples");
  for (const PromptExample& example : examples)
    require(!example.text.empty() && example.text.find(example.target) != std::string::npos, "a target is in its text");
}

void read_prompt_results(std::string_view text) {
  const std::string folder = scratch_folder();
  write_file(folder + "/prompts.json", text);
  PromptReport report;
  if (!accepts([&] { report = read_prompt_report(folder); })) return;
  for (const PromptReport::Example& example : report.examples)
    for (const std::string& place : {example.folder, example.against_folder})
      require(!std::filesystem::path(place).lexically_normal().native().starts_with("..") && !place.starts_with('/'),
              "no folder is opened but one of the prompt set's");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = view(data, size);
  ExperimentPlan plan;
  if (accepts([&] { plan = experiment_plan(text, "input", "folder"); })) use(plan);
  read_results(text);
  read_state(text);
  read_prompts(text);
  read_prompt_results(text);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  return deliver(mutate_json_text(view(data, size), random, most), data, most);
}
