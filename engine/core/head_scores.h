// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/core/grouping.h"
#include "engine/core/inspection.h"
#include "engine/core/model_config.h"

namespace carryover {

/// A text that asks for retrieval, and where a head that retrieves looks: from each token that has stood before, to the
/// token that came after it then, which is the one to predict.
struct HeadProbe {
  std::vector<std::int32_t> ids;
  std::vector<AttentionPair> pairs;
};

/// Random tokens, twice: nothing but copying predicts the second half. Deterministic in the seed.
HeadProbe copy_probe(std::int64_t vocabulary, std::int64_t tokens, std::uint64_t seed);

/// A text, and a passage of `needle` tokens from `depth` (0: its start, 1: its end) once more behind it; `tokens` in
/// all. Throws EngineError{BadInput} where the text is too short.
HeadProbe needle_probe(const std::vector<std::int32_t>& text, std::int64_t tokens, std::int64_t needle, double depth);

/// How much each head retrieves, higher is more. [L, H] row-major.
struct HeadScores {
  std::int64_t layers = 0, heads = 0;
  std::vector<double> values;

  double at(int layer, int head) const { return values[static_cast<std::size_t>(layer * heads + head)]; }
};

/// The mean over inspections of the attention on the pairs' keys. All are of one model.
HeadScores mean_scores(const std::vector<Inspection>& inspections);

/// The `heads` best heads of each of the `layers` layers whose best heads score most, long there and nowhere else.
Grouping propose_grouping(const HeadScores& scores, std::int64_t layers, std::int64_t heads);

/// The share of all heads' scores that retrieving heads of a grouping hold, 0 to 1.
double captured_share(const HeadScores& scores, const Grouping& grouping);

/// DuoAttention's full_attention_heads.tsv: a line a layer, a value a KV head, 0 to 1. Out: the best of a KV head's
/// query heads, scaled by the largest of all. In: every query head of a KV head has its value.
std::string duo_tsv(const HeadScores& scores, const ModelConfig& model);
HeadScores scores_from_tsv(const std::string& text, const ModelConfig& model, const std::string& where);

/// Retrieval-head scores: {"layer-head": [values]}, of which the mean counts. Heads that are not named have 0.
nlohmann::json head_score_json(const HeadScores& scores);
HeadScores scores_from_json(const nlohmann::json& json, const ModelConfig& model, const std::string& where);

}  // namespace carryover
