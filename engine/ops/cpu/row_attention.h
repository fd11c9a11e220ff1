// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "engine/base/key_index.h"
#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Computes the attention of a single position, queries [G, r, 1, d], over all of `parts` as one softmax; used in
/// decoding. Each KV row is read once for the r queries that share it; work is divided by heads and by blocks of keys,
/// so that few heads fill many threads. CPU, without gradients; fp32 inside (fp64 for fp64). Returns the outputs and
/// the log-sum-exp of the scores, [G, r, 1]. score_cap: ModelConfig::score_cap.
std::pair<at::Tensor, at::Tensor> attend_row(const at::Tensor& queries, const std::vector<KvBlock>& parts,
                                             double score_cap);

/// Adds to the attention of m queries, [G, r, m, d], over some keys the keys that each of them chose of `prefix`: those
/// of KeyIndex::choice that its list names. `others`: the outputs over the other keys and the log-sum-exp of their
/// scores, which the result shares one softmax with. CPU, without gradients.
at::Tensor add_chosen(const at::Tensor& queries, const KvBlock& prefix, const KeyIndex& index,
                      const std::pair<at::Tensor, at::Tensor>& others, double score_cap);

}  // namespace carryover::ops
