// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/config/kv_sharing.h"
#include "engine/ops/head_attention.h"
#include "engine/runtime/device_list.h"

namespace carryover {

/// Returns rows `heads` of the first dimension: a view if they are consecutive, else a copy.
inline at::Tensor select_heads(const at::Tensor& tensor, const std::vector<int>& heads) {
  if (consecutive(heads))
    return tensor.narrow(0, heads.empty() ? 0 : heads.front(), static_cast<std::int64_t>(heads.size()));
  const std::vector<std::int64_t> rows(heads.begin(), heads.end());
  return tensor.index_select(0, ops::device_list(rows, tensor.device()));
}

/// Returns the same rows as a contiguous copy.
inline at::Tensor copy_heads(const at::Tensor& tensor, const std::vector<int>& heads) {
  const at::Tensor rows = select_heads(tensor, heads);
  return consecutive(heads) ? rows.clone(at::MemoryFormat::Contiguous) : rows;
}

/// Copies rows of keys and values; in one pass on a device that takes kernels, without gradients.
inline std::pair<at::Tensor, at::Tensor> copy_heads(const at::Tensor& keys, const at::Tensor& values,
                                                    const std::vector<int>& heads) {
  if (ops::attends_by_heads(keys)) return ops::copy_rows(keys, values, heads);
  return {copy_heads(keys, heads), copy_heads(values, heads)};
}

/// Returns the index in `all` of each member of `some`. Both ascend; `some` may repeat.
inline std::vector<int> places_of(const std::vector<int>& some, const std::vector<int>& all) {
  std::vector<int> places;
  for (const int member : some)
    places.push_back(static_cast<int>(std::lower_bound(all.begin(), all.end(), member) - all.begin()));
  return places;
}

}  // namespace carryover
