// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/prompt_set.h"
#include "engine/runs/records/run_reader.h"
#include "engine/statistics/bootstrap.h"

namespace carryover {

/// The measures of one run of an example. A measure is empty where the run has nothing to measure it on.
struct PromptMeasures {
  std::int64_t tokens = 0, targets = 0;
  std::optional<double> loss;          ///< nats a target
  std::optional<double> answer_loss;   ///< nats a token of the answer
  std::optional<double> hit_distance;  ///< median over hits without padding: tokens to the segment that reads it
  std::optional<double> recall;        ///< share of a target's tokens that the answer's segment reads
};

/// Measures a run. `tokens`: places in the example as positions of the run (behind BOS). A target counts if it stands
/// before the answer's segment (without an answer, the last token's); of several targets, the one that was read most
/// counts. Reads every segment. Throws as SegmentSource::load().
PromptMeasures measure_prompt(const RunContents& run, const PromptTokens& tokens);

struct PromptResult {
  std::string name;
  std::vector<std::string> tags;
  std::string folder, against_folder;  ///< under the prompt set's; empty: not run
  PromptMeasures own;
  std::optional<PromptMeasures> against;  ///< the same example under a control
  std::string error;                      ///< the error of a failed run; then there are no measures
};

/// A column of the tables: a value that an example has or lacks.
struct PromptColumn {
  const char* key;
  const char* title;
  int digits;  ///< behind the point, in prompt_table()
  bool share;  ///< true if each value is a share, from 0 to 1, of what an example asks for: their means have Wilson's
               ///< interval
  std::optional<double> (*value)(const PromptResult& result);
};
/// Returns the columns loss, answer_loss, hit_distance, recall, delta_loss and delta_answer_loss. A delta is control −
/// own, so above 0 where the run is better than its control.
const std::vector<PromptColumn>& prompt_columns();

/// Returns {"examples": […], "slices": […]}: the values of each example, and, for all examples ("tag" null) and for
/// each tag, the mean of each column over its examples with a 95 % interval. The interval of shares is Wilson's, any
/// other a bootstrap's over examples; its bounds are null for fewer than kFewestForInterval examples. Pure.
nlohmann::json prompt_results_json(const std::vector<PromptResult>& results);

/// Returns the interval of a column's mean over `values`, one for each example. Pure.
MeanInterval slice_interval(const PromptColumn& column, const std::vector<double>& values);

/// Make tables from prompt_results_json() alone: a line for each example; a line for each slice and column; slices with
/// intervals, to read.
std::string prompt_examples_csv(const nlohmann::json& results);
std::string prompt_slices_csv(const nlohmann::json& results);
std::string prompt_table(const nlohmann::json& results);

}  // namespace carryover
