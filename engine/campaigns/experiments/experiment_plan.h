// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/dtype.h"

namespace carryover {

/// A text that models are evaluated on.
struct PlanText {
  std::string path;
  std::string title, author;  ///< for tables; title: the file's name where the plan has none
  std::string sha256;         ///< of the file, checked before anything runs; empty: any
};

struct PlanModel {
  std::string name, path;
};

/// The origin of a recipe's weights: the model's own, with an adapter, or, if it has fields of `train --config`,
/// trained with them.
struct PlanRecipe {
  enum class Kind { Untrained, Adapter, Training };
  std::string name, title;
  Kind kind = Kind::Untrained;
  std::string adapter;                   ///< a folder, of Kind::Adapter
  nlohmann::json fields;                 ///< of Kind::Training
  std::vector<std::string> evaluations;  ///< names of the plan's evaluations that apply to it, in the plan's order
};

/// The way a recipe's weights are run: fields of `run --config` over the recipe's own segmentation.
struct PlanEvaluation {
  std::string name, title;
  nlohmann::json fields;
};

/// A recipe under an evaluation.
struct PlanCondition {
  std::string recipe, evaluation;
};

struct PlanComparison {
  std::string title;
  PlanCondition of, against;
};

/// The plan that `carryover experiment` runs: models × recipes × seeds × evaluations × texts. Names are in the order of
/// the file, and paths are such as can be opened. A plain value.
struct ExperimentPlan {
  std::string name, title, about;
  std::vector<PlanModel> models;
  std::vector<std::string> data;            ///< to train on
  std::vector<PlanText> texts;              ///< files, or folders of them
  std::vector<std::int64_t> lengths{8192};  ///< tokens of each text; ascending
  /// If true, each length has a run, and so a time and a memory peak, of its own; else shorter lengths are the
  /// beginnings of the longest one's run.
  bool each_length = false;
  std::vector<std::uint64_t> seeds{1};  ///< of trainings
  DType dtype = DType::Auto;
  Device device = Device::Auto;
  int threads = 0;
  nlohmann::json config = nlohmann::json::object();    ///< fields of SegmentConfig that recipes start from
  nlohmann::json training = nlohmann::json::object();  ///< fields that every training starts from
  std::vector<PlanRecipe> recipes;
  std::vector<PlanEvaluation> evaluations;
  std::vector<PlanComparison> comparisons;
  std::vector<std::string> only;  ///< recipes to run now; empty: all. Reports cover all recipes
  std::string where;              ///< for errors
  nlohmann::json file;            ///< as it was read

  const PlanRecipe* find_recipe(std::string_view recipe) const;
  const PlanEvaluation* find_evaluation(std::string_view evaluation) const;
  bool runs(std::string_view recipe) const;  ///< true if `only` names it, or is empty
};

/// Parses a plan. Relative paths are taken from `folder`. experiment_cells() checks what depends on a model. Throws
/// EngineError{BadInput} naming `where` and the key where a value has another type, is unknown, is named twice, or is
/// no valid name.
ExperimentPlan experiment_plan(std::string_view text, const std::string& where, const std::string& folder);
/// Throws EngineError{Io} too.
ExperimentPlan read_experiment_plan(const std::string& path);

/// The settings that the command line gives in place of the plan's; an empty one leaves the plan's.
struct ExperimentOverrides {
  std::vector<PlanModel> models;
  std::vector<std::string> data;
  /// Files, read as they are, or folders. Of a folder, the texts that the plan lists by file are read, with the plan's
  /// title and author, or all of its texts where the plan lists none.
  std::vector<std::string> texts;
  std::vector<std::string> only;  ///< recipes
  int threads = -1;
};
/// Throws EngineError{Usage} for a model or a recipe that the plan does not have, {Io} for a folder without any of its
/// texts.
void apply_overrides(ExperimentPlan& plan, const ExperimentOverrides& overrides);

}  // namespace carryover
