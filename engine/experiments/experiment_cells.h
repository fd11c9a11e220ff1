// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiments/experiment_plan.h"
#include "engine/families/model_config.h"
#include "engine/records/run_settings.h"
#include "engine/records/training_plan.h"

namespace carryover {

/// A model of a plan as it is on the disk.
struct CellModel {
  std::string name, path;
  std::string weights_hash;
  ModelConfig config;
};

/// A text of a plan as it is on the disk; `sha256` is what the file has.
struct CellText {
  std::string path, file, title, author, sha256;
};

/// A training: a folder of records/training_folder.h.
struct TrainingCell {
  std::string id;         ///< 16 hex digits of `inputs`; the name of its folder
  nlohmann::json inputs;  ///< all that decides its numbers
  std::size_t model = 0;
  std::string recipe;
  std::uint64_t seed = 0;
  TrainingPlan plan;
  double flops = 0;
};

/// A text run under an evaluation: a folder of records/run_folder.h.
struct EvaluationCell {
  std::string id;
  nlohmann::json inputs;
  std::size_t model = 0, text = 0;
  std::string adapter;                  ///< a folder that is there before, or empty
  std::optional<std::size_t> training;  ///< whose weights it runs; index
  RunSettings settings;                 ///< `tokens`: of the text
  std::vector<std::int64_t> lengths;    ///< whose losses it says, tokens; ascending
  double flops = 0;
};

/// What a cell is of. Several may name the same cell: seeds of what is not trained, evaluations that say the same.
struct CellUse {
  std::size_t model = 0;
  std::string recipe, evaluation;
  std::optional<std::uint64_t> seed;  ///< none of what is not trained
  std::size_t text = 0, cell = 0;     ///< index of an evaluation
};

/// What is run together: a training and its evaluations, or those of weights that are there.
struct CellGroup {
  std::size_t model = 0;
  std::string recipe;
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> training;
  std::vector<std::size_t> uses;  ///< indices, by evaluation and text
};

/// Everything that a plan runs, resolved against its files, in the order in which it is run: what needs no training
/// first, then seed by seed.
struct ExperimentCells {
  std::vector<CellModel> models;
  std::vector<CellText> texts;
  std::vector<TrainingCell> trainings;
  std::vector<EvaluationCell> evaluations;
  std::vector<CellUse> uses;
  std::vector<CellGroup> groups;
};

/// What decides how long a cell takes.
struct CellWork {
  std::size_t model = 0;
  bool training = false;
  DType dtype = DType::Float32;
  double flops = 0;
};
/// Of every cell, by id.
std::map<std::string, CellWork> cell_work(const ExperimentCells& cells);

/// Where a cell is in the experiment's folder.
std::string cell_folder(const std::string& experiment, const std::string& id);

/// Opens models (without weights) and hashes models and texts. A cell's hash covers the weights, the texts' contents,
/// policy, dtype, tokens, seed and every field that is not at its default in SegmentConfig{} and TrainingConfig{}: a
/// field that a later version adds leaves the hashes as they are. It does not cover names, paths, threads, the device
/// and when checkpoints are saved. Throws EngineError{BadInput, Io}.
ExperimentCells experiment_cells(const ExperimentPlan& plan, const std::string& experiment);

}  // namespace carryover
