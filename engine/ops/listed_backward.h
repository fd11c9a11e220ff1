// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/core/base/key_index.h"

namespace carryover::ops {

/// In max(fp32, dtype).
struct ListedGradients {
  at::Tensor queries;       ///< [G, r, m, d]
  at::Tensor keys, values;  ///< [G, r or 1, P + n, d]
};

/// Of attention to the keys that an index lists, out = softmax(q·kᵀ/√d)·v of [prefix; segment], on the CPU. Products of
/// a block of one head's queries with all keys between those that it lists are there at a time.
ListedGradients listed_backward(const at::Tensor& gradient, const at::Tensor& out, const at::Tensor& queries,
                                const at::Tensor& keys, const at::Tensor& values, const KeyIndex& index);

}  // namespace carryover::ops
