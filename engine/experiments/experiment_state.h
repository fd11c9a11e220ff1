// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/experiments/experiment_cells.h"
#include "engine/experiments/experiment_command.h"

namespace carryover {

enum class CellStatus { Pending, Running, Done, Failed };
std::string_view cell_status_name(CellStatus status);  ///< "pending", "running", "done", "failed"

/// A cell as a window shows it. Labels are those of its first use.
struct CellState {
  std::string id;  ///< its folder is cells/<id>
  bool training = false;
  std::string model, recipe, evaluation, text;  ///< the last two empty of a training
  std::optional<std::uint64_t> seed;
  CellStatus status = CellStatus::Pending;
  std::int64_t started = 0;     ///< of one that is running: when it began here, seconds since 1970
  double seconds = 0;           ///< that it took; a reader of one that is running may put the seconds since then here
  double expected_seconds = 0;  ///< of all of it, also once it is done; 0: not known yet
  std::optional<double> loss;   ///< nats a target: of the last step, or of the text
  std::string error;            ///< of one that failed
  bool left_out = false;        ///< by whoever started the experiment with some recipes alone
};

/// experiment.json: what a window watches while an experiment runs, and afterwards. It is replaced as a whole after
/// each change. Progress within a cell is in its own folder: metrics.jsonl of a training, segments.jsonl of a run.
struct ExperimentState {
  std::string name, title, plan_file;
  CellStatus status = CellStatus::Pending;  ///< Pending: stopped, and the same command continues
  std::vector<CellState> cells;             ///< in the order in which they run
  nlohmann::json plan;                      ///< as it was read
  /// That started it last, with absolute paths and without its folder; nothing where an earlier version wrote the file.
  std::optional<ExperimentRequest> command;

  std::size_t count(CellStatus status) const;
  std::size_t left_out() const;
  std::size_t wanted() const { return cells.size() - left_out(); }
  std::size_t wanted_done() const;
  double expected_seconds_left() const;  ///< of what is wanted
};

/// All pending; what no recipe needs that the plan runs now is left out.
ExperimentState experiment_state(const ExperimentPlan& plan, const ExperimentCells& cells);

/// Its experiment.json.
std::string experiment_state_path(const std::string& experiment);
void write_experiment_state(const std::string& experiment, const ExperimentState& state);
/// Throws EngineError{Io, BadInput} naming the file.
ExperimentState read_experiment_state(const std::string& experiment);

/// What cells will take. A kind of work (training or reading, a model, a dtype) goes at the speed of those of its cells
/// that are done; before the first one, at the speed that was guessed from the machine's limits. A plain value.
class CellPace {
 public:
  void guess(const CellWork& kind, double flops_per_second);
  void add(const CellWork& done, double seconds);
  bool knows(const CellWork& kind) const;
  /// 0 where nothing is known.
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
