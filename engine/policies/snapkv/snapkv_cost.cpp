// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/base/translated_text.h"
#include "engine/cost/cache_costs.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

/// Returns the memory for a text without a prompt's end, which is not known here. The queries that vote are held
/// besides the caches.
MemoryBytes memory_snapkv(const CostModel& cost, std::int64_t tokens, RunUse use) {
  MemoryBytes bytes = cost.caches(tokens, {cost.global_layers() * cost.model.kv_heads}, use);
  const std::int64_t queries = std::min(cost.config.query_length, tokens) * cost.model.heads * cost.global_layers() *
                               cost.model.head_dim * cost.bytes_per_value;
  bytes.pool += queries;
  bytes.device_peak += queries;
  return bytes;
}

constexpr std::string_view snapkv_reads[] = {"kv_budget", "query_length"};

}  // namespace

constinit const PolicyRow snapkv_row{
    .name = "snapkv",
    .help = TEXT("everything until a prompt ends, then the keys that its last queries vote for (SnapKV)"),
    .runs_in_chunks = true,
    .state_grows = true,
    .ends_prompts = true,
    .fields = snapkv_reads,
    .visible_globally = visible_past,
    .memory_globally = memory_snapkv,
};

}  // namespace carryover
