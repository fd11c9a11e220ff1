// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/core/analysis/recall_heads.h"
#include "engine/core/run/model_info.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// What people say of a search for the heads of recall: the flags of `carryover heads --recall`. A plain value.
struct RecallOrder {
  std::vector<std::string> texts;  ///< paths of novels that needles are put into
  std::int64_t documents = 8;      ///< with needles
  std::int64_t held_out = 2;       ///< of them: searchers are only checked on those
  std::int64_t segments = 16;      ///< of a document
  std::int64_t needles = 2;        ///< of each kind in a document
  std::int64_t searchers = 6;      ///< at most
  double loss_rise = 0.05;
  std::int64_t seed = 1;
  bool operator==(const RecallOrder&) const = default;
};

/// Reads the texts. Throws EngineError{Usage} where there are none, or the documents have too few segments or too many
/// needles; {BadInput, Io} where the texts are too short or can't be read.
RecallHeadsRequest make_recall_request(const RecallOrder& order, const ModelConfig& model, const Tokenizer& tokenizer);

/// What the results depend on (weights, dtype, settings, documents), as 16 hex digits: results of other inputs are no
/// beginning. Pure; any thread.
std::string recall_inputs(const RecallHeadsRequest& request, const ModelInfo& model);

/// The words behind "carryover heads MODEL" that say the same.
std::vector<std::string> recall_words(const RecallOrder& order);

/// What --config takes and the window imports: the grouping and the searchers, of a shared search.
nlohmann::json recall_grouping_json(const RecallHeads& heads);

}  // namespace carryover
