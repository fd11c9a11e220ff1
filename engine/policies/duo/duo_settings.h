// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// The query heads of a layer under DuoAttention (Xiao et al., 2025): retrieval heads, which see the whole text, and
/// streaming heads, which see sinks and a window. All query heads of a KV head are of one kind. They are retrieval
/// heads if the layer is long-range and the grouping has one of them as long-range.
struct DuoHeads {
  std::vector<int> retrieval, streaming;  ///< ascending; no KV head is in both
};
DuoHeads duo_heads(const SegmentConfig& config, const ModelConfig& model, int layer);

}  // namespace carryover
