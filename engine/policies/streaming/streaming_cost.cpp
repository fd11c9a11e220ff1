// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/translated_text.h"
#include "engine/cost/cache_costs.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_sliding(const ModelConfig& model, const SegmentConfig& config, int,
                                           std::int64_t first) {
  return {visible_in_window(config, model.heads, model.kv_heads, 0, first)};
}

MemoryBytes memory_sliding(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.caches(tokens, {0, cost.global_layers() * cost.model.kv_heads, most_in_window(cost.config, 0)}, use);
}

std::vector<VisiblePrefix> visible_streaming(const ModelConfig& model, const SegmentConfig& config, int,
                                             std::int64_t first) {
  return {visible_in_window(config, model.heads, model.kv_heads, config.sink_length, first)};
}

MemoryBytes memory_streaming(const CostModel& cost, std::int64_t tokens, RunUse use) {
  const std::int64_t most = most_in_window(cost.config, cost.config.sink_length);
  return cost.caches(tokens, {0, cost.global_layers() * cost.model.kv_heads, most}, use);
}

constexpr std::string_view sliding_reads[] = {"attention_window"};
constexpr std::string_view streaming_reads[] = {"sink_length", "attention_window", "cache_positions"};

}  // namespace

constinit const PolicyRow sliding_row{
    .name = "sliding",
    .help = TEXT("the last tokens of an attention window"),
    .runs_in_chunks = true,
    .fields = sliding_reads,
    .visible_globally = visible_sliding,
    .memory_globally = memory_sliding,
};

constinit const PolicyRow streaming_row{
    .name = "streaming",
    .help = TEXT("sinks and the last tokens of an attention window (StreamingLLM)"),
    .runs_in_chunks = true,
    .fields = streaming_reads,
    .visible_globally = visible_streaming,
    .memory_globally = memory_streaming,
};

}  // namespace carryover
