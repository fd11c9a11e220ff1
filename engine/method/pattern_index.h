// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/core/config/head_patterns.h"
#include "engine/method/sparse_index.h"

namespace carryover {

/// What heads see of a chunk by their patterns, none of which is an A-shape: that is a window. heads: of the patterns,
/// in order; queries: [H, m, d], the last of n positions; keys: [H_kv, n, d]; both rotated. An index with a row for
/// each of `heads`. Columns and diagonals of all heads are estimated at once. Without gradients.
KeyIndex pattern_index(const std::vector<HeadPattern>& patterns, const std::vector<int>& heads,
                       const at::Tensor& queries, const at::Tensor& keys);

/// The same of one head.
KeyIndex pattern_index(const HeadPattern& pattern, const SparseQueries& sparse);

}  // namespace carryover
