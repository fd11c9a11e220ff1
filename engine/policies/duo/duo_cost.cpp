// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/translated_text.h"
#include "engine/config/head_reads.h"
#include "engine/cost/cache_costs.h"
#include "engine/policies/duo/duo_settings.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_duo(const ModelConfig& model, const SegmentConfig& config, int layer,
                                       std::int64_t first) {
  const DuoHeads heads = duo_heads(config, model, layer);
  const auto rows = [&](const std::vector<int>& of) { return std::ssize(distinct_kv_heads(of, model)); };
  std::vector<VisiblePrefix> visible;
  if (!heads.retrieval.empty()) visible.push_back({std::ssize(heads.retrieval), rows(heads.retrieval), first, 0});
  if (!heads.streaming.empty())
    visible.push_back(
        visible_in_window(config, std::ssize(heads.streaming), rows(heads.streaming), config.sink_length, first));
  return visible;
}

MemoryBytes memory_duo(const CostModel& cost, std::int64_t tokens, RunUse use) {
  std::int64_t whole = 0;
  for (int layer = 0; layer < cost.model.layers; ++layer)
    whole += std::ssize(distinct_kv_heads(duo_heads(cost.config, cost.model, layer).retrieval, cost.model));
  const std::int64_t most = most_in_window(cost.config, cost.config.sink_length);
  return cost.caches(tokens, {whole, cost.global_layers() * cost.model.kv_heads - whole, most}, use);
}

constexpr std::string_view duo_reads[] = {"sink_length", "attention_window", "long_range_layers", "long_range_heads"};

}  // namespace

constinit const PolicyRow duo_row{
    .name = "duo",
    .help = TEXT("everything in the long-range heads, sinks and a window in the others (DuoAttention)"),
    .runs_in_chunks = true,
    .state_grows = true,
    .fields = duo_reads,
    .visible_globally = visible_duo,
    .memory_globally = memory_duo,
};

}  // namespace carryover
