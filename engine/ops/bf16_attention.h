// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/ops/row_attention.h"

namespace carryover::ops {

/// Whether this processor has bf16 dot products (AVX512-BF16) and `queries`, [G, r, m, d], is bf16 with d a multiple of
/// 64.
bool has_bf16_attention(const at::Tensor& queries);

/// Attention of m queries, [G, r, m, d], over all of `parts` as one softmax; a causal part is the last and holds m
/// keys. One pass over tiles of keys that are packed once for the r heads that share them; tiles above the diagonal are
/// not computed. bf16 products summed in fp32, softmax in fp32. Returns it and the log-sum-exp of its scores, [G, r,
/// m]. CPU. LibTorch's own attention goes to MKL, which has no bf16 product for AMD and widens to fp32 instead.
std::pair<at::Tensor, at::Tensor> attend_bf16(const at::Tensor& queries, const std::vector<SeenRows>& parts);

}  // namespace carryover::ops
