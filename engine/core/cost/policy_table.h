// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/config/sparse_blocks.h"
#include "engine/core/cost/cost_model.h"

namespace carryover {

/// Query heads of a layer that see equally much before their segment.
struct VisiblePrefix {
  std::int64_t heads = 0;   ///< query heads
  std::int64_t rows = 0;    ///< rows of keys and values that these heads read: KV heads, or one for each query head
  std::int64_t length = 0;  ///< positions, tokens
  std::int64_t most = 0;    ///< positions that a query sees at most, its segment's included; 0: all
  /// g: of the positions beyond `most`, each whole g from the text's first on are one, a row for each head; 0: unseen.
  std::int64_t pooled = 0;
  /// What a query sees instead, in branches that read keys and values of their own; a mean counts as a position.
  std::optional<SparseBlocks> branches = {};
};

/// A policy of attention across segments, described once: its name on the command line, in files and in the window, and
/// what costs and training need to know of it. The policy itself is a pair of files of this name in engine/policies.
struct PolicyRow {
  const char* name;
  const char* help;     ///< what attention sees; English, translated by the window
  bool runs_in_chunks;  ///< segments are chunks of the computation alone: a training sample is one segment
  bool trained;         ///< a model can be trained under it
  bool state_grows;     ///< with the text: what a segment starts from is not kept for running it again
  /// Fields of SegmentConfig that it reads beside those that all do; none: all that no other policy has alone.
  std::span<const std::string_view> fields;
  /// What a layer's heads see before a segment that begins at token `first`.
  std::vector<VisiblePrefix> (*visible)(const ModelConfig&, const SegmentConfig&, int layer, std::int64_t first);
  /// All kinds of memory at the end of a run of `tokens`.
  MemoryBytes (*memory)(const CostModel&, std::int64_t tokens, RunUse use);
  bool segment_in_window = false;  ///< no segment may be longer than attention_window
  bool gated = false;  ///< what heads put out is a sum by gates, which are weights of their own (gate_parameters())
  bool ends_prompts = false;  ///< what it keeps changes where a prompt ends
};

/// Every policy, in the order of forms and help; the first is the default. Any thread.
std::span<const PolicyRow> policies();
std::vector<std::string> policy_names();
/// `trained`: of those that models are trained under.
std::string listed_policies(std::string_view separator, bool trained = false);
/// Null where there is none of this name.
const PolicyRow* find_policy(std::string_view name);
/// Throws EngineError{Usage} with the names there are.
const PolicyRow& policy_row(std::string_view name);
/// Both false for a name that is none: of a run that another version recorded.
bool runs_in_chunks(std::string_view policy);
bool state_grows(std::string_view policy);
/// Whether the policy reads this field of SegmentConfig; a name that is none reads every field.
bool policy_reads(std::string_view policy, std::string_view field);

/// Throws EngineError{BadInput} where a valid configuration can't run a text of `tokens` under this policy.
void check_policy(const std::string& policy, const SegmentConfig& config, std::int64_t tokens,
                  const std::string& where);

/// Tokens right before a segment that begins at `first` which its first token sees besides sinks and what was
/// retrieved: the carry, or the rest of a window. 0 where heads see the whole past.
std::int64_t tail_before(const std::string& policy, const SegmentConfig& config, std::int64_t first);

/// The configuration under which a training sample of `tokens` runs: one segment where the policy sees the whole text.
SegmentConfig sample_config(const std::string& policy, SegmentConfig config, std::int64_t tokens);
/// What dynamic NTK scales to, tokens: constant over a run.
std::int64_t rope_length(const std::string& policy, const SegmentConfig& config, std::int64_t tokens);

/// Values of the gates of a gated policy: three for each query head, of a row and a bias each.
std::int64_t gate_parameters(const ModelConfig& model);
bool is_gated(std::string_view policy);      ///< false for a name that is none
bool ends_prompts(std::string_view policy);  ///< likewise

}  // namespace carryover
