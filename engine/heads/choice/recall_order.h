// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/heads/choice/recall_heads.h"
#include "engine/runs/values/model_info.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The settings of a search for the heads of recall: the flags of `carryover heads --recall`. A plain value.
struct RecallOrder {
  std::vector<std::string> texts;  ///< paths of novels into which needles are inserted
  std::int64_t documents = 8;      ///< number of documents with needles
  std::int64_t held_out = 2;       ///< number of these on which searchers are only checked
  std::int64_t segments = 16;      ///< segments per document
  std::int64_t needles = 2;        ///< needles of each kind per document
  std::int64_t searchers = 6;      ///< most searchers
  double loss_rise = 0.05;
  std::int64_t seed = 1;
  bool operator==(const RecallOrder&) const = default;
};

/// Reads the texts and makes the request. Throws EngineError{Usage} if there are no texts, or the documents have too
/// few segments or too many needles; {BadInput, Io} if the texts are too short or can't be read.
RecallHeadsRequest make_recall_request(const RecallOrder& order, const ModelConfig& model, const Tokenizer& tokenizer);

/// Returns a hash, as 16 hex digits, of all that the results depend on (weights, dtype, settings, documents). A search
/// can't continue from results of other inputs. Pure; any thread.
std::string recall_inputs(const RecallHeadsRequest& request, const ModelInfo& model);

/// Returns the words after "carryover heads MODEL" that give the same order.
std::vector<std::string> recall_words(const RecallOrder& order);

/// Returns the JSON that --config takes and the window imports: the grouping and the searchers of a shared search.
nlohmann::json recall_grouping_json(const RecallHeads& heads);

}  // namespace carryover
