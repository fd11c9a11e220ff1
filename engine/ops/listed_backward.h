// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/base/key_index.h"

namespace carryover::ops {

/// Gradients in max(fp32, dtype).
struct ListedGradients {
  at::Tensor queries;       ///< [G, r, m, d]
  at::Tensor keys, values;  ///< [G, r or 1, P + n, d]
};

/// Returns the gradients of attention to the keys that an index lists, out = softmax(q·kᵀ/√d)·v of [prefix; segment],
/// on the CPU. At a time it holds the products of a block of one head's queries with all keys from the first to the
/// last that the index lists for them. score_cap: ModelConfig::score_cap.
ListedGradients listed_backward(const at::Tensor& gradient, const at::Tensor& out, const at::Tensor& queries,
                                const at::Tensor& keys, const at::Tensor& values, const KeyIndex& index,
                                double score_cap);

}  // namespace carryover::ops
