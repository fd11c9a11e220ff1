// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/base/translated_text.h"
#include "engine/config/head_reads.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_segmented(const ModelConfig& model, const SegmentConfig& config, int layer,
                                             std::int64_t first) {
  const std::int64_t sinks = first > 0 ? config.sink_length : 0, carried = std::min(config.carry_length, first);
  std::vector<VisiblePrefix> visible;
  for (const HeadReads& kind : head_reads(config, model, layer)) {
    const std::int64_t skipped = search_skips_carry(config, model, kind) ? carried : 0;
    const std::int64_t searched = std::max<std::int64_t>(0, first - sinks - skipped);
    const bool chooses =
        config.search == SearchBy::PerToken && kind.read(PrefixPart::Retrieved) && searched > config.retrieval_length;
    std::int64_t length = 0;
    for (const PrefixPart part : kind.parts)
      length += part == PrefixPart::Sinks   ? sinks
                : part == PrefixPart::Carry ? carried
                : chooses                   ? 0
                                            : std::min(config.retrieval_length, searched);
    VisiblePrefix seen{std::ssize(kind.heads), std::ssize(kind.prefix_kv_heads(model)), length};
    if (chooses) seen.chosen = config.retrieval_length, seen.searched = searched;
    visible.push_back(seen);
  }
  return visible;
}

MemoryBytes memory_segmented(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.segmented(tokens, use);
}

}  // namespace

constinit const PolicyRow segmented_row{
    .name = "segmented",
    .help = TEXT("carry and retrieval"),
    .trained = true,
    .visible_globally = visible_segmented,
    .memory_globally = memory_segmented,
};

}  // namespace carryover
