// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "engine/base/key_index.h"
#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Returns true if this processor has bf16 dot products (AVX512-BF16) and `queries`, [G, r, m, d], is bf16 with d a
/// multiple of 64.
bool has_bf16_attention(const at::Tensor& queries);

/// Returns true if bf16 attention multiplies by AMX's tiles instead of AVX512-BF16's dot products: if the processor has
/// tiles and Linux lets this process use them, unless they were switched off to compare the two. Any thread.
bool bf16_tiles();
void allow_bf16_tiles(bool allowed);

/// Computes the attention of m queries, [G, r, m, d], over `parts` as one softmax; each key counts for the queries that
/// see it. It is one pass over tiles of keys, which are packed once for the r heads that share them; tiles that a block
/// of queries does not see are not computed. bf16 matmuls are summed in fp32, and the softmax is fp32. Returns the
/// outputs and the log-sum-exp of the scores, [G, r, m]. CPU. LibTorch's own attention uses MKL, which has no bf16
/// matmul for AMD and converts to fp32 instead.
std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor& queries, const std::vector<KvBlock>& parts);

/// Does the same for only the keys that an index lists: they are gathered a tile at a time, and no other key is read.
/// The parts' own rules of visibility do not count.
at::Tensor attend_listed_bf16(const at::Tensor& queries, const std::vector<KvBlock>& parts, const KeyIndex& index);

/// Returns the gradients of attend_bf16, from the gradient of its output, [G, r, m, d]. Attention weights and dS are
/// computed again by tiles and rounded to bf16 for the matmuls; every sum is fp32, over all parts and heads, and
/// rounded once. The bits are the same with any number of threads.
AttentionGradients attend_bf16_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                        const std::vector<KvBlock>& parts, const at::Tensor& out,
                                        const at::Tensor& lse);

}  // namespace carryover::ops
