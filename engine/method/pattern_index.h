// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/config/head_patterns.h"
#include "engine/method/sparse_index.h"

namespace carryover {

/// Returns an index, with a row for each of `heads`, of the keys that the queries of a chunk see by the heads'
/// patterns. No pattern may be an A-shape, for which a window serves. `patterns`: those of `heads`, in order; queries:
/// [H, m, d], the last of n positions; keys: [H_kv, n, d]; both rotated. Columns and diagonals of all heads are
/// estimated at once. score_cap: ModelConfig::score_cap. Without gradients.
KeyIndex pattern_index(const std::vector<HeadPattern>& patterns, const std::vector<int>& heads,
                       const at::Tensor& queries, const at::Tensor& keys, double score_cap);

/// Returns the index of one head.
KeyIndex pattern_index(const HeadPattern& pattern, const SparseQueries& sparse, double score_cap = 0);

}  // namespace carryover
