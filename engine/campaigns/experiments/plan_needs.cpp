// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/plan_needs.h"

#include <algorithm>
#include <filesystem>

#include "engine/checkpoints/random_model.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

bool lies_there(const std::string& path) {
  std::error_code ignored;
  return names_random_model(path) || fs::exists(path, ignored);
}

/// A folder, or a file alone, is a need of its own; files that lie in one folder are one.
void add_text_need(std::vector<PlanNeed>& needs, const PlanText& text) {
  std::error_code ignored;
  const std::string folder = fs::path(text.path).parent_path().string();
  const bool whole = fs::is_directory(text.path, ignored) || folder.empty();
  const std::string path = whole ? text.path : folder;
  const auto found = std::ranges::find_if(
      needs, [&](const PlanNeed& need) { return need.kind == PlanNeed::Kind::Texts && need.path == path; });
  if (found == needs.end() || whole) {
    needs.push_back({PlanNeed::Kind::Texts, {}, path, 1, lies_there(text.path)});
    return;
  }
  ++found->count;
  found->there = found->there && lies_there(text.path);
}

}  // namespace

std::vector<PlanNeed> plan_needs(const ExperimentPlan& plan) {
  std::vector<PlanNeed> needs;
  for (const PlanModel& model : plan.models)
    needs.push_back({PlanNeed::Kind::Model, model.name, model.path, 1, lies_there(model.path)});
  std::vector<std::string> data;
  for (const PlanRecipe& recipe : plan.recipes) {
    if (recipe.kind == PlanRecipe::Kind::Adapter)
      needs.push_back({PlanNeed::Kind::Adapter, recipe.name, recipe.adapter, 1, lies_there(recipe.adapter)});
    if (recipe.kind != PlanRecipe::Kind::Training) continue;
    const auto own = recipe.fields.find("data");  // an array of paths, as the reader of plans leaves it
    const auto paths = own == recipe.fields.end() ? plan.data : own->get<std::vector<std::string>>();
    for (const std::string& path : paths)
      if (std::ranges::find(data, path) == data.end()) data.push_back(path);
  }
  for (const std::string& path : data) needs.push_back({PlanNeed::Kind::Data, {}, path, 1, lies_there(path)});
  for (const PlanText& text : plan.texts) add_text_need(needs, text);
  return needs;
}

bool all_there(const std::vector<PlanNeed>& needs) {
  return std::ranges::all_of(needs, &PlanNeed::there);
}

}  // namespace carryover
