// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/policy_table.h"

#include <algorithm>
#include <map>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/config/core_tokens.h"
#include "engine/config/duo_heads.h"
#include "engine/config/head_reads.h"
#include "engine/config/minference_settings.h"
#include "engine/config/segment_fields.h"
#include "engine/config/window_settings.h"
#include "engine/cost/block_memory.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

using Visible = std::vector<VisiblePrefix>;

Visible visible_segmented(const ModelConfig& model, const SegmentConfig& config, int layer, std::int64_t first) {
  const std::int64_t sinks = first > 0 ? config.sink_length : 0, carried = std::min(config.carry_length, first);
  Visible visible;
  for (const HeadReads& kind : head_reads(config, model, layer)) {
    const std::int64_t skipped = search_skips_carry(config, model, kind) ? carried : 0;
    const std::int64_t searched = std::max<std::int64_t>(0, first - sinks - skipped);
    std::int64_t length = 0;
    for (const PrefixPart part : kind.parts)
      length += part == PrefixPart::Sinks   ? sinks
                : part == PrefixPart::Carry ? carried
                                            : std::min(config.retrieval_length, searched);
    visible.push_back({std::ssize(kind.heads), std::ssize(kind.prefix_kv_heads(model)), length, 0});
  }
  return visible;
}

MemoryBytes memory_segmented(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.segmented(tokens, use);
}

Visible visible_full(const ModelConfig& model, const SegmentConfig&, int, std::int64_t first) {
  return {{model.heads, model.kv_heads, first, 0}};
}

MemoryBytes memory_full(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.full(tokens, use);
}

VisiblePrefix in_window(const SegmentConfig& config, std::int64_t heads, std::int64_t rows, std::int64_t sinks,
                        std::int64_t first) {
  const std::int64_t most = sinks + config.of<WindowSettings>().attention_window;
  return {heads, rows, std::min(first, most - 1), most};
}

Visible visible_sliding(const ModelConfig& model, const SegmentConfig& config, int, std::int64_t first) {
  return {in_window(config, model.heads, model.kv_heads, 0, first)};
}

MemoryBytes memory_sliding(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.caches(tokens, 0, cost.model.layers * cost.model.kv_heads, 0, use);
}

Visible visible_streaming(const ModelConfig& model, const SegmentConfig& config, int, std::int64_t first) {
  return {in_window(config, model.heads, model.kv_heads, config.sink_length, first)};
}

MemoryBytes memory_streaming(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.caches(tokens, 0, cost.model.layers * cost.model.kv_heads, cost.config.sink_length, use);
}

Visible visible_duo(const ModelConfig& model, const SegmentConfig& config, int layer, std::int64_t first) {
  const DuoHeads heads = duo_heads(config, model, layer);
  const auto rows = [&](const std::vector<int>& of) { return std::ssize(distinct_kv_heads(of, model)); };
  Visible visible;
  if (!heads.retrieval.empty()) visible.push_back({std::ssize(heads.retrieval), rows(heads.retrieval), first, 0});
  if (!heads.streaming.empty())
    visible.push_back(in_window(config, std::ssize(heads.streaming), rows(heads.streaming), config.sink_length, first));
  return visible;
}

MemoryBytes memory_duo(const CostModel& cost, std::int64_t tokens, RunUse use) {
  std::int64_t whole = 0;
  for (int layer = 0; layer < cost.model.layers; ++layer)
    whole += std::ssize(distinct_kv_heads(duo_heads(cost.config, cost.model, layer).retrieval, cost.model));
  return cost.caches(tokens, whole, cost.model.layers * cost.model.kv_heads - whole, cost.config.sink_length, use);
}

/// Returns the number of keys of a head's pattern, with the keys of its own tile. This counts one key per diagonal,
/// where the pattern takes a whole block for a diagonal that stands alone; in practice, few do.
std::int64_t most_of(const HeadPattern& pattern) {
  constexpr std::int64_t block = 64;
  return pattern.kind == PatternKind::BlockSparse ? block * pattern.vertical : pattern.vertical + pattern.slash;
}

/// Returns the memory for a text without a prompt's end, which is not known here. The queries that vote are held
/// besides the caches.
MemoryBytes memory_snapkv(const CostModel& cost, std::int64_t tokens, RunUse use) {
  MemoryBytes bytes = cost.caches(tokens, cost.model.layers * cost.model.kv_heads, 0, 0, use);
  const std::int64_t queries = std::min(cost.config.query_length, tokens) * cost.model.heads * cost.model.layers *
                               cost.model.head_dim * cost.bytes_per_value;
  bytes.pool += queries;
  bytes.device_peak += queries;
  return bytes;
}

/// Groups heads by pattern. A KV head's row counts once for each pattern that reads it.
Visible visible_minference(const ModelConfig& model, const SegmentConfig& config, int layer, std::int64_t first) {
  std::map<std::int64_t, std::vector<int>> heads;
  for (int head = 0; head < model.heads; ++head)
    heads[most_of(config.of<MinferenceSettings>().head_patterns.at(layer, head))].push_back(head);
  Visible visible;
  for (const auto& [most, of_most] : heads)
    visible.push_back({std::ssize(of_most), std::ssize(distinct_kv_heads(of_most, model)), first, most});
  return visible;
}

Visible visible_infllm(const ModelConfig& model, const SegmentConfig& config, int, std::int64_t first) {
  return {{model.heads, model.kv_heads, seen_of_memory(config, block_memory(config, first)), 0}};
}

MemoryBytes memory_infllm(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.looked_up(tokens, use);
}

Visible visible_cca(const ModelConfig& model, const SegmentConfig& config, int, std::int64_t first) {
  const CoreTokens rule(config);
  return {{model.heads, model.kv_heads, first, rule.window, rule.group}};
}

MemoryBytes memory_cca(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.pooled(tokens, use);
}

Visible visible_nsa(const ModelConfig& model, const SegmentConfig& config, int, std::int64_t first) {
  return {{model.heads, model.kv_heads, first, 0, 0, SparseBlocks(config)}};
}

MemoryBytes memory_nsa(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.branched(tokens, use);
}

// The fields that every policy reads.
constexpr std::string_view kOfAll[] = {"segment_length", "bos", "cross_boundary_target", "rope"};
constexpr std::string_view kOfSliding[] = {"attention_window"};
constexpr std::string_view kOfDuo[] = {"sink_length", "attention_window", "long_range_layers", "long_range_heads"};
constexpr std::string_view kOfMinference[] = {"head_patterns"};
constexpr std::string_view kOfSnapKv[] = {"kv_budget", "query_length"};
constexpr std::string_view kOfInfLlm[] = {"sink_length", "attention_window", "memory_blocks", "memory_block_length",
                                          "memory_representatives"};
constexpr std::string_view kOfCca[] = {"attention_window", "core_group_length"};
constexpr std::string_view kOfNsa[] = {"attention_window", "selected_block_length", "selected_blocks"};
constexpr std::string_view kOfStreaming[] = {"sink_length", "attention_window", "cache_positions"};

#define TEXT(text) text  // scripts/translations.sh collects these texts

constexpr PolicyRow kPolicies[] = {
    {"segmented", TEXT("carry and retrieval"), false, true, false, {}, visible_segmented, memory_segmented},
    {"full", TEXT("plain attention over the whole text, for comparison"), true, true, true, kOfAll, visible_full,
     memory_full},
    {"sliding", TEXT("the last tokens of an attention window"), true, false, false, kOfSliding, visible_sliding,
     memory_sliding},
    {"streaming", TEXT("sinks and the last tokens of an attention window (StreamingLLM)"), true, false, false,
     kOfStreaming, visible_streaming, memory_streaming},
    {"duo", TEXT("everything in the long-range heads, sinks and a window in the others (DuoAttention)"), true, false,
     true, kOfDuo, visible_duo, memory_duo},
    {"minference", TEXT("a pattern for each head: columns and diagonals, an A-shape, or blocks (MInference)"), true,
     false, true, kOfMinference, visible_minference, memory_full},
    {"snapkv", TEXT("everything until a prompt ends, then the keys that its last queries vote for (SnapKV)"), true,
     false, true, kOfSnapKv, visible_full, memory_snapkv, false, false, true},
    {"infllm", TEXT("sinks, a window, and blocks of the past that each segment looks up (InfLLM)"), true, false, true,
     kOfInfLlm, visible_infllm, memory_infllm, true},
    {"cca", TEXT("a window, and groups of older tokens that are each pooled into one (CCA-Attention)"), true, true,
     true, kOfCca, visible_cca, memory_cca},
    {"nsa", TEXT("a mean of each block, the blocks that each query selects, and a window, by gates (NSA)"), true, true,
     true, kOfNsa, visible_nsa, memory_nsa, false, true},
};

}  // namespace

#undef TEXT

std::span<const PolicyRow> policies() {
  return kPolicies;
}

const PolicyRow* find_policy(std::string_view name) {
  const auto* const row = std::ranges::find(kPolicies, name, &PolicyRow::name);
  return row == std::end(kPolicies) ? nullptr : row;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyRow& row : kPolicies) names.emplace_back(row.name);
  return names;
}

std::string listed_policies(std::string_view separator, bool trained) {
  std::string names;
  for (const PolicyRow& row : kPolicies)
    if (row.trained || !trained) names.append(names.empty() ? "" : separator).append(row.name);
  return names;
}

const PolicyRow& policy_row(std::string_view name) {
  if (const PolicyRow* row = find_policy(name)) return *row;
  throw EngineError(Fault::Usage, "--policy", "there is no policy \"" + std::string(name) + "\"",
                    "Choose one of: " + listed_policies(", ") + ".");
}

bool runs_in_chunks(std::string_view policy) {
  const PolicyRow* row = find_policy(policy);
  return row != nullptr && row->runs_in_chunks;
}

bool state_grows(std::string_view policy) {
  const PolicyRow* row = find_policy(policy);
  return row != nullptr && row->state_grows;
}

std::int64_t gate_parameters(const ModelConfig& model) {
  std::int64_t values = 0;
  for (const WeightRow& row : layer_rows(model, 0))
    if (row.is_gate()) values += row.values();
  return model.layers * values;
}

bool is_gated(std::string_view policy) {
  const PolicyRow* row = find_policy(policy);
  return row != nullptr && row->gated;
}

bool ends_prompts(std::string_view policy) {
  const PolicyRow* row = find_policy(policy);
  return row != nullptr && row->ends_prompts;
}

bool policy_reads(std::string_view policy, std::string_view field) {
  const PolicyRow* row = find_policy(policy);
  const auto among = [field](std::span<const std::string_view> fields) {
    return std::ranges::count(fields, field) > 0;
  };
  if (row == nullptr || among(kOfAll)) return true;
  if (!row->fields.empty()) return among(row->fields);
  const SegmentField* found = find_segment_field(field);
  return found == nullptr || !found->of_policy();
}

void check_policy(const std::string& policy, const SegmentConfig& config, std::int64_t tokens,
                  const std::string& where) {
  const std::int64_t longest = std::min(config.segment_length, tokens);
  if (policy_row(policy).segment_in_window && longest > config.of<WindowSettings>().attention_window)
    refuse_field(where, "segment_length",
                 "is " + std::to_string(config.segment_length) + ", more than attention_window, " +
                     std::to_string(config.of<WindowSettings>().attention_window),
                 "A segment of " + policy + " must fit its window: lower segment_length, or raise attention_window.");
}

std::int64_t tail_before(const std::string& policy, const SegmentConfig& config, std::int64_t first) {
  std::int64_t tail = 0;
  if (policy_reads(policy, "carry_length")) tail = config.carry_length;
  if (policy_reads(policy, "attention_window")) tail = config.of<WindowSettings>().attention_window - 1;
  const PolicyRow* row = find_policy(policy);
  if (row != nullptr && row->visible == visible_infllm) tail = block_memory(config, first).near;
  if (row != nullptr && row->visible == visible_cca) tail = CoreTokens(config).near(first);
  if (row != nullptr && row->visible == visible_nsa) tail = 0;
  return std::min(tail, first);
}

SegmentConfig sample_config(const std::string& policy, SegmentConfig config, std::int64_t tokens) {
  if (policy_row(policy).runs_in_chunks) config.segment_length = tokens;
  return config;
}

std::int64_t rope_length(const std::string& policy, const SegmentConfig& config, std::int64_t tokens) {
  if (policy_row(policy).runs_in_chunks) return tokens;
  return config.segment_length + longest_prefix(config);
}

}  // namespace carryover
