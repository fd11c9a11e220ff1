// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/grouping.h"
#include "engine/families/model_config.h"
#include "engine/heads/choice/head_probes.h"

namespace carryover {

/// A score for each head of how much it retrieves; higher is more. [L, H] row-major.
struct HeadScores {
  std::int64_t layers = 0, heads = 0;
  std::vector<double> values;

  double at(int layer, int head) const { return values[static_cast<std::size_t>(layer * heads + head)]; }
};

/// The measure by which heads are scored: a head's attention to the token that has to be copied next, or how often this
/// token gets more of its attention than any other token (the definition of retrieval heads). Both are means over
/// probes, 0 to 1.
enum class HeadMeasure { Attention, Copies };
std::string_view head_measure_name(HeadMeasure measure);
HeadMeasure parse_head_measure(const std::string& name);  ///< Throws EngineError{Usage}.

struct ProbeScores {
  ProbeKind kind = ProbeKind::Copy;
  HeadScores attention, copies;
  const HeadScores& of(HeadMeasure measure) const { return measure == HeadMeasure::Copies ? copies : attention; }
};

/// The scores of a model's heads for each kind of probe that was asked for.
struct HeadProfile {
  std::vector<ProbeScores> kinds;
};

/// Returns the mean over a profile's kinds, of which there must be at least one.
HeadScores mean_scores(const HeadProfile& profile, HeadMeasure measure);

/// Returns a grouping of `layers` long-range layers, those of the model's global layers whose best `heads` heads score
/// most. These heads are long-range there, and no others.
Grouping propose_grouping(const HeadScores& scores, const ModelConfig& model, std::int64_t layers, std::int64_t heads);

/// Returns the share of the sum of all heads' scores that the retrieving heads of a grouping hold, 0 to 1.
double captured_share(const HeadScores& scores, const Grouping& grouping);

/// Writes and reads DuoAttention's full_attention_heads.tsv: a line per layer, a value per KV head, 0 to 1. When
/// written, the value is the best score of a KV head's query heads, divided by the largest of all. When read, every
/// query head of a KV head gets its value.
std::string duo_tsv(const HeadScores& scores, const ModelConfig& model);
HeadScores scores_from_tsv(const std::string& text, const ModelConfig& model, const std::string& where);

/// Writes and reads scores of retrieval heads: {"layer-head": [values]}, of which the mean counts. Heads that are not
/// named have 0.
nlohmann::json head_score_json(const HeadScores& scores);
HeadScores scores_from_json(const nlohmann::json& json, const ModelConfig& model, const std::string& where);

/// Reads a file's contents in either format. `where` names the file. All three readers throw EngineError{BadInput} if
/// the text is in no such format, or is for a model of another shape.
HeadScores scores_from_text(const std::string& text, const ModelConfig& model, const std::string& where);

}  // namespace carryover
