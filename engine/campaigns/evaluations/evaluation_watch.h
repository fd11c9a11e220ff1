// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/evaluations/evaluation_table.h"
#include "engine/campaigns/evaluations/journal_tail.h"
#include "engine/campaigns/evaluations/score_cell.h"

namespace carryover {

/// An evaluation's folder at one moment. Rows are tasks at lengths, tasks first; columns are policies, both in the
/// plan's order. A plain value.
struct EvaluationNews {
  EvaluationPlan plan;
  std::vector<std::shared_ptr<const ScoreCell>> cells;  ///< row by row
  bool running = false;                                 ///< a process holds the folder's lock
  std::string problem;                                  ///< error of a journal, or of the lock; empty: none

  std::size_t rows() const { return plan.tasks.size() * plan.lengths.size(); }
  std::size_t columns() const { return plan.policies.size(); }
  const ScoreCell& cell(std::size_t row, std::size_t column) const { return *cells[row * columns() + column]; }
  /// Returns how many samples each cell of a row has in the end: as many as a finished cell has, else the number that
  /// was asked for; nothing where that is not known yet.
  std::optional<std::size_t> samples_of_row(std::size_t row) const;
};

/// Watches the folder of an evaluation that this or another process runs, or that is finished. It reads only the new
/// part of each journal. Any one thread.
class EvaluationWatch {
 public:
  explicit EvaluationWatch(std::string folder) : folder_(std::move(folder)) {}
  /// Returns the folder's present state, or null where nothing has changed since the last call. Throws EngineError{Io,
  /// BadInput} naming the file where evaluation.json is missing, damaged, larger than 64 MB or has more than 5000
  /// cells; the next call looks again.
  std::shared_ptr<const EvaluationNews> poll();

 private:
  struct Followed {
    JournalTail journal;
    std::string lines;  ///< the file that a finished cell has
  };
  bool read_plan();
  void follow_cells();
  bool read_cell(std::size_t index);
  bool read_state();
  const Task& task(const std::string& name, const std::vector<SampleEntry>& entries);

  std::string folder_, plan_text_;
  std::optional<EvaluationPlan> plan_;
  std::vector<Followed> followed_;
  std::map<std::string, std::unique_ptr<const Task>> tasks_;
  std::map<std::string, std::string> problems_;  ///< by journal: errors of its scores
  EvaluationNews news_;
};

/// Returns the results so far, of the cells that have samples, in the form of a finished evaluation's results, to make
/// a table of. Throws EngineError{BadInput} as measure_cell().
std::vector<ResultsFile> live_results(const EvaluationNews& news);

}  // namespace carryover
