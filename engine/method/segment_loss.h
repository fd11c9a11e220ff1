// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/model/decoder.h"

namespace carryover {

/// −log p of each target (eq:seg-loss; the boundary rule gives segment i the first token of segment i + 1 as its last
/// target). hidden: [n, D]; targets: [n] int64. Returns [n] in max(fp32, dtype). Logits exist for a block of rows at a
/// time, never [n, V].
at::Tensor target_nll(const Decoder& decoder, const at::Tensor& hidden, const at::Tensor& targets);

}  // namespace carryover
