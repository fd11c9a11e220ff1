// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <utility>

namespace carryover::ops {

struct PrefixAttention;

/// Returns true if attend_by_lists() should be used: on a GPU, without gradients, if queries see keys by an index or in
/// a window, scores are not capped, and the kernel accepts type and width. Otherwise masked_attention() is used there.
bool attends_by_lists(const PrefixAttention& attention);

/// Computes prefix_attention() by the kernel list_attention: a key is computed only if a query of its tile sees it.
/// Returns the outputs and the log-sum-exp of the scores, [G, r, m].
std::pair<at::Tensor, at::Tensor> attend_by_lists(const PrefixAttention& attention);

}  // namespace carryover::ops
