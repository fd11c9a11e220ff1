// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/grouping.h"
#include "engine/config/head_ref.h"
#include "engine/config/policy_settings.h"
#include "engine/config/pool_keys.h"
#include "engine/config/retrieval_choices.h"
#include "engine/families/model_config.h"

namespace carryover {

/// Number of sinks for a model that was not trained in segments; also that of PrefixSource::Sinks.
inline constexpr std::int64_t kSinkTokens = 4;

/// All settings of segmented execution (sec:consistency, app:retrieval), by their JSON names, and those of single
/// policies. Lengths are in tokens. A plain value; any thread.
struct SegmentConfig {
  std::int64_t segment_length = 4096;   ///< S ≥ 1
  std::int64_t carry_length = 512;      ///< M, 0 ≤ M ≤ S
  std::int64_t retrieval_length = 512;  ///< R ≥ 0; may exceed S
  std::int64_t sink_length = 0;  ///< n ≥ 0, n + M ≤ S: the text's first tokens that every head reads (ADR 0019)
  std::int64_t truncation_depth = 1;  ///< K ≥ 0, segment transitions that gradients cross
  Grouping grouping;                  ///< JSON: long_range_layers, long_range_heads
  /// The parts that heads read before their segment; "retrieved" counts only in the layers of L_long
  /// (config/head_reads.h).
  PrefixParts local_reads = PrefixParts::SinksCarry;
  PrefixParts long_reads = PrefixParts::SinksRetrieved;
  SearchBy search = SearchBy::PerHead;
  std::vector<HeadRef> search_heads;  ///< heads of a shared search, ascending; JSON: [[layer, head], …]
  SearchScores search_scores = SearchScores::Summaries;
  RetrieveBy retrieve = RetrieveBy::Anchors;
  std::int64_t window_length = 16;      ///< W ≥ 1, for RetrieveBy::Windows
  std::int64_t query_length = 64;       ///< L_q ≥ 1
  std::int64_t summary_window = 8;      ///< w ≥ 1
  std::int64_t summary_stride = 4;      ///< s ≥ 1
  std::int64_t summary_tail = 4;        ///< t ≥ 1
  std::int64_t top_k = 16;              ///< k ≥ 1, keys kept per summary
  std::optional<std::int64_t> anchors;  ///< A ≥ 1; by default max(1, R/(o⁻+o⁺+1))
  std::int64_t expand_before = 3;       ///< o⁻ ≥ 0
  std::int64_t expand_after = 4;        ///< o⁺ ≥ 0
  bool bos = false;                     ///< put the model's BOS before the text, as position 0
  bool cross_boundary_target = true;    ///< the last logits of a segment predict the next one's first token
  bool boundary_at_prompt_end = false;  ///< close a segment where the prompt ends (generation only)
  bool question_pass = false;           ///< run the prompt's question twice: to search, then to read (generation only)
  bool pool_on_host = false;            ///< keep the pool in host memory although the model is on a GPU
  PoolKeys pool_keys{};                 ///< how the pool holds its keys: "model" (the default: exact), "bf16" or "int8"
  std::optional<RopeConfig> rope;       ///< overrides the checkpoint's scaling
  PolicySettings of_policies;           ///< what single policies have for themselves

  /// Returns the settings of a policy: config.of<InfLlmSettings>().memory_blocks.
  template <typename Settings>
  const Settings& of() const {
    return of_policies.of<Settings>();
  }
  template <typename Settings>
  Settings& of() {
    return of_policies.of<Settings>();
  }

  std::int64_t anchor_count() const;

  /// Returns defaults for the model's context: S = min(4096, context/8 rounded to 64, ≥ 16), M = R = S/8, and no sinks,
  /// as in the paper's method.
  static SegmentConfig defaults_for(const ModelConfig& model);
  /// Returns the same with kSinkTokens sinks (beyond the paper), for a model that was not trained in segments. Without
  /// sinks, such a model loses its attention sink at segment boundaries.
  static SegmentConfig untrained_defaults_for(const ModelConfig& model);

  /// Throws EngineError{BadInput}, which names the field. `where` is the file or "command line".
  void validate(const ModelConfig& model, const std::string& where) const;

  bool operator==(const SegmentConfig&) const = default;
};

void to_json(nlohmann::json& json, const SegmentConfig& config);
/// Reads fields into `config`. Absent fields keep their value. Unknown fields and wrong types throw
/// EngineError{BadInput}, which names the field.
void update_from_json(SegmentConfig& config, const nlohmann::json& json, const std::string& where);

}  // namespace carryover
