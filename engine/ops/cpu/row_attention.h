// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Computes the attention of a single position, queries [G, r, 1, d], over all of `parts` as one softmax; used in
/// decoding. Each KV row is read once for the r queries that share it; work is divided by heads and by blocks of keys,
/// so that few heads fill many threads. CPU, without gradients; fp32 inside (fp64 for fp64). Returns the outputs and
/// the log-sum-exp of the scores, [G, r, 1].
std::pair<at::Tensor, at::Tensor> attend_row(const at::Tensor& queries, const std::vector<KvBlock>& parts);

}  // namespace carryover::ops
