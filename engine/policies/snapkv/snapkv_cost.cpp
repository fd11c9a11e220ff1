// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_snapkv(const ModelConfig& model, const SegmentConfig&, int, std::int64_t first) {
  return {{model.heads, model.kv_heads, first, 0}};
}

/// Returns the memory for a text without a prompt's end, which is not known here. The queries that vote are held
/// besides the caches.
MemoryBytes memory_snapkv(const CostModel& cost, std::int64_t tokens, RunUse use) {
  MemoryBytes bytes = cost.caches(tokens, {cost.model.layers * cost.model.kv_heads}, use);
  const std::int64_t queries = std::min(cost.config.query_length, tokens) * cost.model.heads * cost.model.layers *
                               cost.model.head_dim * cost.bytes_per_value;
  bytes.pool += queries;
  bytes.device_peak += queries;
  return bytes;
}

constexpr std::string_view snapkv_fields_read[] = {"kv_budget", "query_length"};

}  // namespace

#define TEXT(text) text  // scripts/translations.sh collects these texts

constinit const PolicyRow snapkv_row{
    .name = "snapkv",
    .help = TEXT("everything until a prompt ends, then the keys that its last queries vote for (SnapKV)"),
    .runs_in_chunks = true,
    .state_grows = true,
    .ends_prompts = true,
    .fields = snapkv_fields_read,
    .visible = visible_snapkv,
    .memory = memory_snapkv,
};

#undef TEXT

}  // namespace carryover
