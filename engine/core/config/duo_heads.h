// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// The query heads of a layer under DuoAttention (Xiao et al., 2025): retrieval heads, which see the whole text, and
/// streaming heads, which see sinks and a window. All heads of a KV head are one kind: of the first, where the grouping
/// has one of them as long-range and the layer too.
struct DuoHeads {
  std::vector<int> retrieval, streaming;  ///< ascending; no KV head is of both
};
DuoHeads duo_heads(const SegmentConfig& config, const ModelConfig& model, int layer);

}  // namespace carryover
