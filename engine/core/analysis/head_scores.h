// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/analysis/head_probes.h"
#include "engine/core/config/grouping.h"
#include "engine/families/model_config.h"

namespace carryover {

/// How much each head retrieves, higher is more. [L, H] row-major.
struct HeadScores {
  std::int64_t layers = 0, heads = 0;
  std::vector<double> values;

  double at(int layer, int head) const { return values[static_cast<std::size_t>(layer * heads + head)]; }
};

/// What a head is scored by: its attention to the token that has to be copied next, or how often that one has more of
/// it than any other token has (as retrieval heads are defined). Means over probes, 0 to 1.
enum class HeadMeasure { Attention, Copies };
std::string_view head_measure_name(HeadMeasure measure);
HeadMeasure parse_head_measure(const std::string& name);  ///< Throws EngineError{Usage}.

struct ProbeScores {
  ProbeKind kind = ProbeKind::Copy;
  HeadScores attention, copies;
  const HeadScores& of(HeadMeasure measure) const { return measure == HeadMeasure::Copies ? copies : attention; }
};

/// A model's heads, by the kinds of probes that were asked for.
struct HeadProfile {
  std::vector<ProbeScores> kinds;
};

/// The mean over a profile's kinds, of which there is one or more.
HeadScores mean_scores(const HeadProfile& profile, HeadMeasure measure);

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

/// A file's contents in either format. `where` names it. These three throw EngineError{BadInput} where it is none, or
/// not of a model of this shape.
HeadScores scores_from_text(const std::string& text, const ModelConfig& model, const std::string& where);

}  // namespace carryover
