// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/campaigns/experiments/experiment_cells.h"
#include "engine/campaigns/experiments/experiment_command.h"

namespace carryover {

enum class CellStatus { Pending, Running, Done, Failed };
std::string_view cell_status_name(CellStatus status);  ///< "pending", "running", "done", "failed"

/// A cell as a window shows it. Labels are those of its first use.
struct CellState {
  std::string id;  ///< its folder is cells/<id>
  bool training = false;
  std::string model, recipe, evaluation, text;  ///< the last two are empty for a training
  std::optional<std::uint64_t> seed;
  CellStatus status = CellStatus::Pending;
  std::int64_t started = 0;     ///< time at which a running cell began here, seconds since 1970
  double seconds = 0;           ///< duration; a reader may put a running cell's seconds so far here
  double expected_seconds = 0;  ///< for the whole cell, also once it is done; 0: not known yet
  std::optional<double> loss;   ///< nats a target: of the last step, or of the text
  std::string error;            ///< the error of a failed cell
  bool left_out = false;        ///< true if the experiment was started for other recipes only
};

/// experiment.json, which a window watches while an experiment runs and afterwards. It is replaced as a whole after
/// each change. The progress within a cell is in the cell's folder: metrics.jsonl of a training, segments.jsonl of a
/// run.
struct ExperimentState {
  std::string name, title, plan_file;
  CellStatus status = CellStatus::Pending;  ///< Pending: stopped, and the same command continues
  std::vector<CellState> cells;             ///< in the order in which they run
  nlohmann::json plan;                      ///< as it was read
  /// The request that started it last, with absolute paths and without its folder; nothing where an earlier version
  /// wrote the file.
  std::optional<ExperimentRequest> command;

  std::size_t count(CellStatus status) const;
  std::size_t left_out() const;
  std::size_t wanted() const { return cells.size() - left_out(); }
  std::size_t wanted_done() const;
  double expected_seconds_left() const;  ///< for the wanted cells
  void stop();                           ///< makes whatever runs pending
};

/// Returns a state in which all cells are pending; cells that no recipe of this start needs are marked as left out.
ExperimentState experiment_state(const ExperimentPlan& plan, const ExperimentCells& cells);

/// Returns the path of an experiment's experiment.json.
std::string experiment_state_path(const std::string& experiment);
void write_experiment_state(const std::string& experiment, const ExperimentState& state);
/// Throws EngineError{Io, BadInput} naming the file.
ExperimentState read_experiment_state(const std::string& experiment);

/// Predicts how long cells take. Each kind of work (training or reading, a model, a dtype) has the speed of its
/// finished cells; before the first one, a speed that is guessed from the machine's limits. A plain value.
class CellPace {
 public:
  void guess(const CellWork& kind, double flops_per_second);
  void add(const CellWork& done, double seconds);
  bool knows(const CellWork& kind) const;
  /// Returns the expected seconds, or 0 where nothing is known.
  double seconds(const CellWork& work) const;

 private:
  struct Done {
    double flops = 0, seconds = 0, guessed = 0;
  };
  using Kind = std::tuple<std::size_t, bool, DType>;
  static Kind kind_of(const CellWork& work) { return {work.model, work.training, work.dtype}; }
  std::map<Kind, Done> done_;
};

}  // namespace carryover
