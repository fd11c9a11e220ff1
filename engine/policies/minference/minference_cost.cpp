// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "engine/base/translated_text.h"
#include "engine/config/head_reads.h"
#include "engine/cost/cache_costs.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

/// Returns the number of keys of a head's pattern, with the keys of its own tile. This counts one key per diagonal,
/// where the pattern takes a whole block for a diagonal that stands alone; in practice, few do.
std::int64_t most_of(const HeadPattern& pattern) {
  constexpr std::int64_t block = 64;
  return pattern.kind == PatternKind::BlockSparse ? block * pattern.vertical : pattern.vertical + pattern.slash;
}

/// Groups heads by pattern. A KV head's row counts once for each pattern that reads it.
std::vector<VisiblePrefix> visible_minference(const ModelConfig& model, const SegmentConfig& config, int layer,
                                              std::int64_t first) {
  std::map<std::int64_t, std::vector<int>> heads;
  for (int head = 0; head < model.heads; ++head)
    heads[most_of(config.of<MinferenceSettings>().head_patterns.at(layer, head))].push_back(head);
  std::vector<VisiblePrefix> visible;
  for (const auto& [most, of_most] : heads)
    visible.push_back({std::ssize(of_most), std::ssize(distinct_kv_heads(of_most, model)), first, most});
  return visible;
}

constexpr std::string_view minference_reads[] = {"head_patterns"};

}  // namespace

constinit const PolicyRow minference_row{
    .name = "minference",
    .help = TEXT("a pattern for each head: columns and diagonals, an A-shape, or blocks (MInference)"),
    .runs_in_chunks = true,
    .state_grows = true,
    .fields = minference_reads,
    .visible_globally = visible_minference,
    .memory_globally = memory_of_past,
};

}  // namespace carryover
