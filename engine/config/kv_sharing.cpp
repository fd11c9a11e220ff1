// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/kv_sharing.h"

#include <map>

#include "engine/config/grouping.h"
#include "engine/families/model_config.h"

namespace carryover {

KvSharing share_kv(const std::vector<int>& heads, std::int64_t group_size) {
  std::map<int, std::int64_t> counts;
  for (int head : heads) ++counts[head / static_cast<int>(group_size)];
  KvSharing sharing{{}, counts.begin()->second, true};
  for (const auto& [kv_head, count] : counts) sharing.even = sharing.even && count == sharing.r;
  if (sharing.even) {
    for (const auto& [kv_head, count] : counts) sharing.kv_rows.push_back(kv_head);
  } else {
    sharing.r = 1;
    for (int head : heads) sharing.kv_rows.push_back(head / static_cast<int>(group_size));
  }
  return sharing;
}

bool consecutive(const std::vector<int>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i] != rows[i - 1] + 1) return false;
  return true;
}

std::int64_t held_kv_rows(const ModelConfig& model, const Grouping& grouping, int layer) {
  std::int64_t copies = 0;
  bool viewed = false;
  for (const auto& heads : {grouping.local_heads(layer, static_cast<int>(model.heads)), grouping.long_heads(layer)}) {
    if (heads.empty()) continue;
    const std::vector<int> rows = share_kv(heads, model.group_size()).kv_rows;
    if (consecutive(rows))
      viewed = true;
    else
      copies += std::ssize(rows);
  }
  return copies + (viewed ? model.kv_heads : 0);
}

}  // namespace carryover
