// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "engine/core/base/key_index.h"
#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Whether this processor has bf16 dot products (AVX512-BF16) and `queries`, [G, r, m, d], is bf16 with d a multiple of
/// 64.
bool has_bf16_attention(const at::Tensor& queries);

/// Whether bf16 attention multiplies by AMX's tiles instead of AVX512-BF16's dot products: where the processor has them
/// and Linux lets this process use them, unless that was switched off to compare the two. Any thread.
bool bf16_tiles();
void allow_bf16_tiles(bool allowed);

/// Attention of m queries, [G, r, m, d], over `parts` as one softmax, each key for the queries that see it. One pass
/// over tiles of keys that are packed once for the r heads that share them; tiles that a block of queries does not see
/// are not computed. bf16 matmuls summed in fp32, softmax in fp32. Returns it and the log-sum-exp of its scores, [G, r,
/// m]. CPU. LibTorch's own attention goes to MKL, which has no bf16 matmul for AMD and converts to fp32 instead.
std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor& queries, const std::vector<KvBlock>& parts);

/// The same of the keys that an index lists alone: they are gathered a tile at a time, and no other is read. The parts'
/// own rules don't count.
at::Tensor attend_listed_bf16(const at::Tensor& queries, const std::vector<KvBlock>& parts, const KeyIndex& index);

/// Of attend_bf16, from the gradient of what it returned, [G, r, m, d]. Attention weights and dS are computed
/// again by tiles and rounded to bf16 for the matmuls; every sum is fp32, over all parts and heads, and rounded once.
/// The same bits with any number of threads.
AttentionGradients attend_bf16_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                        const std::vector<KvBlock>& parts, const at::Tensor& out,
                                        const at::Tensor& lse);

}  // namespace carryover::ops
