// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "engine/base/key_index.h"
#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Computes the attention of m queries, [G, r, m, d], over `parts` as one softmax; each key counts for the queries that
/// see it. Any dtype and any processor. It is one pass over tiles of keys, which are packed once for the r heads that
/// share them; tiles that a block of queries does not see are not computed. All is in fp32 (fp64 for fp64). Returns the
/// outputs and the log-sum-exp of the scores, [G, r, m]. score_cap: ModelConfig::score_cap. CPU.
std::pair<at::Tensor, at::Tensor> attend_opmath(const at::Tensor& queries, const std::vector<KvBlock>& parts,
                                                double score_cap);

/// Does the same for only the keys that an index lists: they are gathered a tile at a time, and no other key is read.
/// The parts' own rules of visibility do not count.
at::Tensor attend_listed_opmath(const at::Tensor& queries, const std::vector<KvBlock>& parts, const KeyIndex& index,
                                double score_cap);

/// Returns the gradients of attend_opmath, from the gradient of its output, [G, r, m, d]: softmax's own backward by
/// tiles, from the merged output and log-sum-exp. Each gradient is summed over all parts and heads and rounded once.
/// The bits are the same with any number of threads.
AttentionGradients attend_opmath_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                          const std::vector<KvBlock>& parts, const at::Tensor& out,
                                          const at::Tensor& lse, double score_cap);

}  // namespace carryover::ops
