// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cost/cost_model.h"
#include "engine/cost/sparse_blocks.h"

namespace carryover {

/// Query heads of a layer that see the same number of positions before their segment.
struct VisiblePrefix {
  std::int64_t heads = 0;   ///< query heads
  std::int64_t rows = 0;    ///< rows of keys and values that these heads read: one per KV head, or one per query head
  std::int64_t length = 0;  ///< positions, tokens
  std::int64_t most = 0;    ///< most positions that a query sees, its segment's included; 0: all
  /// g: beyond `most`, every g whole positions, counted from the text's first, are pooled into one, with a row for each
  /// query head. 0: positions beyond `most` are not seen.
  std::int64_t pooled = 0;
  /// Beside `length`: the number of positions that a query sees because it chose them by its scores, among `searched`
  /// ones. Each query head has its own.
  std::int64_t chosen = 0, searched = 0;
  /// The branches of a query, which replace the fields above and read keys and values of their own; a mean counts as a
  /// position.
  std::optional<SparseBlocks> branches = {};
};

/// A policy of attention across segments, described once: its name on the command line, in files and in the window, and
/// all that costs and training need to know about it. The row is in the policy's folder, engine/policies/NAME, beside
/// its settings and the class that does what the row says.
struct PolicyRow {
  const char* name;
  const char* help;             ///< says what attention sees; English, translated by the window
  bool runs_in_chunks = false;  ///< true if segments are only chunks of the computation: a training sample is one
                                ///< segment
  bool trained = false;         ///< true if a model can be trained under it
  bool state_grows = false;     ///< true if it grows with the text: then a segment's initial state is not kept to run
                                ///< it again
  bool segment_in_window = false;  ///< true if no segment may be longer than attention_window
  bool gated = false;              ///< true if outputs of heads are sums by gates, which are weights of their own
                                   ///< (gate_parameters())
  bool ends_prompts = false;       ///< true if its state changes where a prompt ends
  /// Fields of SegmentConfig that it reads besides fields_of_all. Empty: all that are no policy's own settings.
  std::span<const std::string_view> fields = {};
  /// Return visible() of a global layer, and memory() without what windowed layers hold.
  std::vector<VisiblePrefix> (*visible_globally)(const ModelConfig&, const SegmentConfig&, int layer,
                                                 std::int64_t first);
  MemoryBytes (*memory_globally)(const CostModel&, std::int64_t tokens, RunUse use);
  /// Returns tail_before() a segment that begins at `first`; null: the carry, or the attention window, says it.
  std::int64_t (*tail)(const SegmentConfig&, std::int64_t first) = nullptr;

  /// Returns what a layer's heads see before a segment that begins at token `first`: by the policy, or by the model's
  /// own window.
  std::vector<VisiblePrefix> visible(const ModelConfig& model, const SegmentConfig& config, int layer,
                                     std::int64_t first) const;
  /// Returns all kinds of memory at the end of a run of `tokens`.
  MemoryBytes memory(const CostModel& cost, std::int64_t tokens, RunUse use) const;
};

/// The fields that every policy reads.
inline constexpr std::string_view fields_of_all[] = {"segment_length", "bos", "cross_boundary_target", "rope"};

/// The policy of the paper's method, to which presets and heads for recall belong.
inline constexpr const char* kMethodPolicy = "segmented";

/// Returns every policy, in the order of forms and help; the first is the default. Defined in engine/policies, which
/// knows them. Any thread.
std::span<const PolicyRow> policies();
std::vector<std::string> policy_names();
/// Returns the policies' names as a list. `trained`: only policies that models are trained under.
std::string listed_policies(std::string_view separator, bool trained = false);
/// Returns null if there is no policy of this name.
const PolicyRow* find_policy(std::string_view name);
/// Throws EngineError{Usage}, which lists the known names, if there is no policy of this name.
const PolicyRow& policy_row(std::string_view name);
/// Both return false for an unknown name, which a run of another version may have.
bool runs_in_chunks(std::string_view policy);
bool state_grows(std::string_view policy);
/// Returns true if the policy reads this field of SegmentConfig. An unknown policy reads every field.
bool policy_reads(std::string_view policy, std::string_view field);

/// Throws EngineError{BadInput} if a valid configuration can't run a text of `tokens` under this policy.
void check_policy(const std::string& policy, const SegmentConfig& config, std::int64_t tokens,
                  const std::string& where);

/// Returns how many tokens right before a segment that begins at `first` its first token sees, besides sinks and what
/// was retrieved: the carry, or the rest of a window. 0 if heads see the whole past.
std::int64_t tail_before(const std::string& policy, const SegmentConfig& config, std::int64_t first);

/// Returns the configuration under which a training sample of `tokens` runs: one segment if the policy sees the whole
/// text.
SegmentConfig sample_config(const std::string& policy, SegmentConfig config, std::int64_t tokens);
/// Returns the number of tokens that dynamic NTK scales to; it is constant over a run.
std::int64_t rope_length(const std::string& policy, const SegmentConfig& config, std::int64_t tokens);

/// Returns the number of values of a gated policy's gates: three gates for each query head, with a row and a bias each.
std::int64_t gate_parameters(const ModelConfig& model);
bool is_gated(std::string_view policy);      ///< false for an unknown name
bool ends_prompts(std::string_view policy);  ///< likewise

}  // namespace carryover
