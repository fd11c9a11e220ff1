// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/core/config/kv_sharing.h"
#include "engine/runtime/device_list.h"

namespace carryover {

/// Rows `heads` of the first dimension: a view where they are consecutive, else a copy.
inline at::Tensor select_heads(const at::Tensor& tensor, const std::vector<int>& heads) {
  if (consecutive(heads))
    return tensor.narrow(0, heads.empty() ? 0 : heads.front(), static_cast<std::int64_t>(heads.size()));
  const std::vector<std::int64_t> rows(heads.begin(), heads.end());
  return tensor.index_select(0, ops::device_list(rows, tensor.device()));
}

}  // namespace carryover
