// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/experiment_plan.h"
#include "engine/families/model_config.h"
#include "engine/runs/records/run_settings.h"
#include "engine/training/records/training_plan.h"

namespace carryover {

/// A model of a plan as it is on disk.
struct CellModel {
  std::string name, path;
  std::string weights_hash;
  ModelConfig config;
};

/// A text of a plan as it is on disk; `sha256` is computed from the file.
struct CellText {
  std::string path, file, title, author, sha256;
};

/// A training, with a folder as training/records/training_folder.h describes.
struct TrainingCell {
  std::string id;         ///< 16 hex digits of `inputs`; the name of its folder
  nlohmann::json inputs;  ///< all that decides its numbers
  std::size_t model = 0;
  std::string recipe;
  std::uint64_t seed = 0;
  TrainingPlan plan;
  double flops = 0;
};

/// A run of a text under an evaluation, with a folder as runs/records/run_folder.h describes.
struct EvaluationCell {
  std::string id;
  nlohmann::json inputs;
  std::size_t model = 0, text = 0;
  std::string adapter;                  ///< a folder that exists before the experiment, or empty
  std::optional<std::size_t> training;  ///< index of the training whose weights it runs
  RunSettings settings;                 ///< `tokens`: length of the text
  std::vector<std::int64_t> lengths;    ///< lengths whose losses it reports, tokens; ascending
  double flops = 0;
};

/// A place in the plan that needs an evaluation's cell. Several uses may name the same cell: seeds of weights that are
/// not trained, or evaluations with the same settings.
struct CellUse {
  std::size_t model = 0;
  std::string recipe, evaluation;
  std::optional<std::uint64_t> seed;  ///< none for weights that are not trained
  std::size_t text = 0, cell = 0;     ///< `cell`: index of an evaluation
};

/// Cells that run together: a training and its evaluations, or the evaluations of existing weights.
struct CellGroup {
  std::size_t model = 0;
  std::string recipe;
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> training;
  std::vector<std::size_t> uses;  ///< indices, by evaluation and text
};

/// Everything that a plan runs, resolved against its files, in the order in which it runs: first the cells that need no
/// training, then seed by seed.
struct ExperimentCells {
  std::vector<CellModel> models;
  std::vector<CellText> texts;
  std::vector<TrainingCell> trainings;
  std::vector<EvaluationCell> evaluations;
  std::vector<CellUse> uses;
  std::vector<CellGroup> groups;
};

/// The properties of a cell that decide how long it takes.
struct CellWork {
  std::size_t model = 0;
  bool training = false;
  DType dtype = DType::Float32;
  double flops = 0;
};
/// Returns the work of every cell, by its id.
std::map<std::string, CellWork> cell_work(const ExperimentCells& cells);

/// Returns the first `most` ids of a text. Throws EngineError{BadInput, Io}.
std::vector<std::int32_t> text_ids(const CellModel& model, const CellText& text, std::int64_t most);
/// Throws EngineError{BadInput} where a text has fewer tokens than a run reads.
void require_tokens(const CellText& text, std::int64_t found, std::int64_t needed);

/// Returns the path of a cell's folder in the experiment's folder.
std::string cell_folder(const std::string& experiment, const std::string& id);

/// Opens models (without weights) and hashes models and texts. A cell's hash covers the weights, the texts' contents,
/// policy, dtype, tokens, seed and every field that is not at its default in SegmentConfig{} and TrainingConfig{}: a
/// field that a later version adds leaves the hashes as they are. It does not cover names, paths, threads, the device
/// and when checkpoints are saved. Throws EngineError{BadInput, Io}.
ExperimentCells experiment_cells(const ExperimentPlan& plan, const std::string& experiment);

}  // namespace carryover
