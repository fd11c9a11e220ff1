// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/cache_costs.h"

#include <algorithm>

#include "engine/config/window_settings.h"

namespace carryover {

std::vector<VisiblePrefix> visible_past(const ModelConfig& model, const SegmentConfig&, int, std::int64_t first) {
  return {{model.heads, model.kv_heads, first, 0}};
}

MemoryBytes memory_of_past(const CostModel& cost, std::int64_t tokens, RunUse use) {
  return cost.full(tokens, use);
}

VisiblePrefix visible_in_window(const SegmentConfig& config, std::int64_t heads, std::int64_t rows, std::int64_t sinks,
                                std::int64_t first) {
  const std::int64_t most = most_in_window(config, sinks);
  return {heads, rows, std::min(first, most), most + 1};
}

std::int64_t most_in_window(const SegmentConfig& config, std::int64_t sinks) {
  return sinks + config.of<WindowSettings>().attention_window - 1;
}

}  // namespace carryover
