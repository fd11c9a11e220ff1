// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_full(const ModelConfig& model, const SegmentConfig&, int, std::int64_t first) {
  return {{model.heads, model.kv_heads, first, 0}};
}

MemoryBytes memory_full(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.full(tokens, use);
}

}  // namespace

#define TEXT(text) text  // scripts/translations.sh collects these texts

constinit const PolicyRow full_row{
    .name = "full",
    .help = TEXT("plain attention over the whole text, for comparison"),
    .runs_in_chunks = true,
    .trained = true,
    .state_grows = true,
    .fields = fields_of_all,
    .visible = visible_full,
    .memory = memory_full,
};

#undef TEXT

}  // namespace carryover
