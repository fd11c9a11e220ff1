// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/compared_losses.h"
#include "engine/campaigns/experiments/experiment_state.h"
#include "engine/campaigns/experiments/results_view.h"
#include "engine/formats/file_stamp.h"

namespace carryover {

/// The numbers of a finished cell that results.json has beside its CellState; nothing where the file lacks one.
struct CellFigures {
  std::optional<double> segment, carry, retrieved, sinks;  ///< S, M, R, n; of an evaluation
  std::optional<double> tokens;                            ///< read, or trained on
  std::optional<double> attention_kv_bytes, peak_memory_bytes;
  std::optional<double> sinks_lost;  ///< share of an evaluation's segments
};

/// The data that figures are drawn from. A plain value.
struct ExperimentFigures {
  ResultsView results;
  std::vector<ComparedLoss> comparisons;
};

/// The progress of a running cell: steps of a training, tokens of an evaluation.
struct CellProgress {
  std::int64_t done = 0, all = 0;
  bool operator==(const CellProgress&) const = default;
};

/// An experiment's folder at one moment. A plain value.
struct ExperimentNews {
  /// The state without the plan. A cell that the file calls running is pending here if no process holds the folder's
  /// lock, because the process that ran it was killed.
  ExperimentState state;
  std::map<std::string, CellFigures, std::less<>> figures;
  std::map<std::string, CellProgress, std::less<>> progress;
  /// For figures; null where results.json is missing, can't be read, or has too much to draw.
  std::shared_ptr<const ExperimentFigures> drawable;
  bool too_much_to_draw = false;
  std::string problem;  ///< the reason why `figures` or `drawable` may lack some: results.json can't be read
};

/// Watches the folder of an experiment that this or another process runs, or that is finished. Changed files are read
/// again; of a running cell's journal only the end is read. Any one thread.
class ExperimentWatch {
 public:
  explicit ExperimentWatch(std::string experiment);
  /// Returns the folder's present state, or null where nothing has changed since the last call. Throws EngineError{Io,
  /// BadInput} naming the file where experiment.json is missing, damaged or larger than 64 MB; the next call looks
  /// again.
  std::shared_ptr<const ExperimentNews> poll();

 private:
  bool read_state();
  void take_state(const FileStamp& stamp);
  bool read_results();
  bool read_progress();

  std::string experiment_;
  std::optional<FileStamp> state_stamp_;  ///< of the file that news_ was read from
  bool says_running_ = false;             ///< true if the file says so
  bool killed_ = false;                   ///< true if no process holds the lock, which news_ reflects
  FileStamp results_stamp_;
  ExperimentNews news_;
};

/// Returns the numbers of each finished cell, by id. Throws EngineError{BadInput} naming `where`.
std::map<std::string, CellFigures, std::less<>> cell_figures(const nlohmann::json& results, const std::string& where);

/// Returns the progress in a cell's folder, or nothing where it has not begun or the files are not (yet) those of a
/// cell.
std::optional<CellProgress> cell_progress(const std::string& folder, bool training);

}  // namespace carryover
