// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/head_groups.h"

#include <ATen/ATen.h>

#include "engine/method/head_select.h"

namespace carryover {

at::Tensor grouped(const at::Tensor& rows, std::int64_t r) {
  return rows.view({rows.size(0) / r, r, rows.size(1), rows.size(2)});
}

at::Tensor group_prefix(const at::Tensor& prefix, const HeadGroup& group, const KvSharing& sharing) {
  if (!prefix.defined()) return {};
  if (group.prefix_per_query_head) return grouped(prefix.contiguous(), sharing.r);
  if (sharing.even) return prefix.unsqueeze(1);
  std::vector<int> row_of_head;  // the prefix has a row for each distinct KV head, in order
  int row = -1, last = -1;
  for (int kv_head : sharing.kv_rows) {
    if (kv_head != last) ++row;
    last = kv_head;
    row_of_head.push_back(row);
  }
  return select_heads(prefix, row_of_head).unsqueeze(1);
}

}  // namespace carryover
