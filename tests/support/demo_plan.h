// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "engine/campaigns/experiments/experiment_state.h"

namespace carryover::test {

/// An experiment on the demo model that takes seconds: two trainings of a few steps, an adapter and the model as it is,
/// under four evaluations of two short stories. One thread and fp32, so that numbers repeat.
inline nlohmann::json demo_plan() {
  const std::string root = CARRYOVER_SOURCE_DIR;
  const std::string stories = root + "/examples/experiments/demo";
  const nlohmann::json steps = {{"max_steps", 4},        {"gradient_accumulation_steps", 1}, {"warmup_steps", 1},
                                {"learning_rate", 1e-3}, {"validation_fraction", 0},         {"save_steps", 1}};
  nlohmann::json lora = steps;
  lora["lora_rank"] = 2;
  return {{"name", "demo"},
          {"title", "Demo"},
          {"about", "What the tests run."},
          {"models", {{"demo", root + "/resources/demo"}}},
          {"data", {stories + "/train/story_1.txt", stories + "/train/story_2.txt"}},
          {"texts", {stories + "/test/story_1.txt", stories + "/test/story_2.txt"}},
          {"lengths", {256, 512}},
          {"seeds", {1, 2}},
          {"dtype", "fp32"},
          {"device", "cpu"},
          {"threads", 1},
          {"config", {{"sink_length", 0}}},
          {"recipes", {{"base", nullptr}, {"all", steps}, {"lora", lora}}},
          {"evaluations",
           {{"segmented", nullptr},
            {"none", {{"carry_length", 0}, {"retrieval_length", 0}}},
            {"random", {{"prefix", "random"}, {"seed", 3}}},
            {"full", {{"policy", "full"}}}}},
          {"comparisons", {{{"title", "memory"}, {"of", {"all", "segmented"}}, {"against", {"all", "none"}}}}}};
}

/// Returns the plan's cells, none of them done.
inline ExperimentState demo_state() {
  const ExperimentPlan plan = experiment_plan(demo_plan().dump(), "plan.json", "");
  return experiment_state(plan, experiment_cells(plan, "out"));
}

}  // namespace carryover::test
