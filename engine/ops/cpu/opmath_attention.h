// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "engine/core/base/key_index.h"
#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Attention of m queries, [G, r, m, d], over `parts` as one softmax, each key for the queries that see it, in any
/// dtype and on any processor. One pass over tiles of keys that are packed once for the r heads that share them; tiles
/// that a block of queries does not see are not computed. All in fp32 (fp64 for fp64). Returns it and the log-sum-exp
/// of its scores, [G, r, m]. CPU.
std::pair<at::Tensor, at::Tensor> attend_opmath(const at::Tensor& queries, const std::vector<KvBlock>& parts);

/// The same of the keys that an index lists alone: they are gathered a tile at a time, and no other is read. The parts'
/// own rules don't count.
at::Tensor attend_listed_opmath(const at::Tensor& queries, const std::vector<KvBlock>& parts, const KeyIndex& index);

/// Of attend_opmath, from the gradient of what it returned, [G, r, m, d]: softmax's own backward by tiles, from the
/// merged output and log-sum-exp. Each gradient is summed over all parts and heads and rounded once. The same bits with
/// any number of threads.
AttentionGradients attend_opmath_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                          const std::vector<KvBlock>& parts, const at::Tensor& out,
                                          const at::Tensor& lse);

}  // namespace carryover::ops
