// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/duo/duo_settings.h"

#include <algorithm>

#include "engine/config/head_reads.h"

namespace carryover {

DuoHeads duo_heads(const SegmentConfig& config, const ModelConfig& model, int layer) {
  if (model.is_windowed(layer)) return {};
  std::vector<int> kept;
  if (config.grouping.is_long_layer(layer)) kept = distinct_kv_heads(config.grouping.long_heads(layer), model);
  DuoHeads heads;
  for (int head = 0; head < model.heads; ++head) {
    const bool retrieval = std::ranges::binary_search(kept, head / static_cast<int>(model.group_size()));
    (retrieval ? heads.retrieval : heads.streaming).push_back(head);
  }
  return heads;
}

}  // namespace carryover
