// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <utility>

namespace carryover::ops {

struct PrefixAttention;

/// Whether attend_by_lists() is to be asked: on a GPU, without gradients, where queries see keys by an index or in a
/// window, of a type and width that the kernel takes. Else masked_attention() does it there.
bool attends_by_lists(const PrefixAttention& attention);

/// prefix_attention() of these by the kernel list_attention: no key is computed that no query of its tile sees. Returns
/// it and the log-sum-exp of its scores, [G, r, m].
std::pair<at::Tensor, at::Tensor> attend_by_lists(const PrefixAttention& attention);

}  // namespace carryover::ops
