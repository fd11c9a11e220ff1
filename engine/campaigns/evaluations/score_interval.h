// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/statistics/bootstrap.h"
#include "engine/tasks/base/task.h"

namespace carryover {

/// A score of a set of samples.
struct ScoreInterval {
  double score = 0;
  std::optional<double> error;           ///< standard error; nothing for fewer than two samples
  std::optional<MeanInterval> interval;  ///< 95 %; nothing for fewer than kFewestForInterval samples
};

/// Every score that the task aggregates. Of a mean the standard error is s / √n with the sample's standard deviation,
/// as lm-evaluation-harness has it; of anything else it is that of the bootstrap. A share (metric_table.h) has Wilson's
/// interval, anything else that of a bootstrap of samples. Texts of perplexity may be neighbours of one document: they
/// are drawn in blocks. The same on every machine. Pure; any thread.
std::map<std::string, ScoreInterval> score_intervals(const Task& task, const std::vector<Scores>& scores);

}  // namespace carryover
