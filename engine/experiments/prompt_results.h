// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/analysis/bootstrap.h"
#include "engine/data/prompt_set.h"
#include "engine/records/run_reader.h"

namespace carryover {

/// What one run of an example shows. Nothing where there is nothing to measure.
struct PromptMeasures {
  std::int64_t tokens = 0, targets = 0;
  std::optional<double> loss;          ///< nats a target
  std::optional<double> answer_loss;   ///< nats a token of the answer
  std::optional<double> hit_distance;  ///< median over hits without padding: tokens to the segment that reads it
  std::optional<double> recall;        ///< share of a target's tokens that the answer's segment reads
};

/// `tokens`: of the example that was run, as positions of the run (behind BOS). A target counts where it stands before
/// the answer's segment (that of the last token without an answer); of several, the one of which most was read. Reads
/// every segment. Throws as SegmentSource::load().
PromptMeasures measure_prompt(const RunContents& run, const PromptTokens& tokens);

struct PromptResult {
  std::string name;
  std::vector<std::string> tags;
  std::string folder, against_folder;  ///< under the prompt set's; empty: not run
  PromptMeasures own;
  std::optional<PromptMeasures> against;  ///< the same example under a control
  std::string error;                      ///< what its run failed with; then there are no measures
};

/// What every example has, or lacks: a column of the tables.
struct PromptColumn {
  const char* key;
  const char* title;
  int digits;  ///< behind the point, in prompt_table()
  bool share;  ///< each value is from 0 to 1 of what an example asks for: means of it have Wilson's interval
  std::optional<double> (*value)(const PromptResult& result);
};
/// loss, answer_loss, hit_distance, recall, delta_loss and delta_answer_loss: a delta is control − own, so above 0
/// where the run is better than its control.
const std::vector<PromptColumn>& prompt_columns();

/// {"examples": […], "slices": […]}: the values of each example, and for all examples ("tag" null) and for each tag the
/// mean of each column over its examples with a 95 % interval: of shares Wilson's, else a bootstrap's of examples; its
/// bounds are null for fewer than kFewestForInterval examples. Pure.
nlohmann::json prompt_results_json(const std::vector<PromptResult>& results);

/// As measured over so many examples. Pure.
MeanInterval slice_interval(const PromptColumn& column, const std::vector<double>& values);

/// Tables made of that alone: a line an example; a line a slice and column; slices with intervals to read.
std::string prompt_examples_csv(const nlohmann::json& results);
std::string prompt_slices_csv(const nlohmann::json& results);
std::string prompt_table(const nlohmann::json& results);

}  // namespace carryover
