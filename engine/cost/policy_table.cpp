// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/policy_table.h"

#include <algorithm>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/config/head_reads.h"
#include "engine/config/segment_fields.h"
#include "engine/config/window_settings.h"
#include "engine/cost/cost_terms.h"
#include "engine/families/weight_rows.h"

namespace carryover {

std::vector<VisiblePrefix> PolicyRow::visible(const ModelConfig& model, const SegmentConfig& config, int layer,
                                              std::int64_t first) const {
  if (!model.is_windowed(layer)) return visible_globally(model, config, layer, first);
  return {{model.heads, model.kv_heads, std::min(first, model.window - 1), model.window}};
}

/// Windowed layers hold the last tokens of the text before the segment, and until it closes also those of the segment.
/// Their keys are rotated for it: a layer's while it runs, or all layers' while a segment is open.
MemoryBytes PolicyRow::memory(const CostModel& cost, std::int64_t tokens, RunUse use) const {
  MemoryBytes bytes = memory_globally(cost, tokens, use);
  const std::int64_t layers = cost.model.windowed_layers();
  if (layers == 0) return bytes;
  const std::int64_t most = cost.model.window - 1, length = std::min(tokens, cost.config.segment_length),
                     before = std::min(tokens - length, most);
  const Int128 token = Int128{layers} * cost.model.kv_heads * pair_bytes(cost),
               rotated = token / 2 * before / (use.decoding ? 1 : layers);
  bytes.attention_kv = saturated(bytes.attention_kv + token * std::min(tokens, most + 1));
  bytes.carry = saturated(bytes.carry + token * std::min(tokens, most));
  bytes.device_peak =
      saturated(bytes.device_peak + rotated + token * (before + (use.decoding ? 0 : std::min(length, most))));
  return bytes;
}

const PolicyRow* find_policy(std::string_view name) {
  const auto row = std::ranges::find(policies(), name, &PolicyRow::name);
  return row == policies().end() ? nullptr : &*row;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyRow& row : policies()) names.emplace_back(row.name);
  return names;
}

std::string listed_policies(std::string_view separator, bool trained) {
  std::string names;
  for (const PolicyRow& row : policies())
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
  if (row == nullptr || among(fields_of_all)) return true;
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
  if (const PolicyRow* row = find_policy(policy); row != nullptr && row->tail != nullptr)
    tail = row->tail(config, first);
  return std::min(tail, first);
}

SegmentConfig sample_config(const std::string& policy, SegmentConfig config, std::int64_t tokens) {
  if (policy_row(policy).runs_in_chunks) config.segment_length = tokens;
  return config;
}

std::int64_t rope_length(const std::string& policy, const SegmentConfig& config, std::int64_t tokens) {
  if (policy_row(policy).runs_in_chunks) return tokens;
  if (config.search == SearchBy::PerToken && config.retrieval_length > 0)  // queries read keys at their true distances
    return std::max(tokens, config.segment_length);
  return config.segment_length + longest_prefix(config);
}

}  // namespace carryover
