// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "engine/config/segment_config.h"
#include "engine/decoder/decoder.h"
#include "engine/ops/logit_loss.h"

namespace carryover {

/// Receives the gradients of the sum of losses while the losses are computed, so that no logits are kept or computed
/// twice.
struct LossGradient {
  at::Tensor hidden;     ///< [n, D] in the hidden states' dtype; target_nll allocates it
  at::Tensor head = {};  ///< [V, D] in max(fp32, dtype); gradients are added to it; undefined if the head is frozen
  /// Soft targets of the n targets: the gradients are those of Σ (1 − λ)·nll + λ·soft_loss. Null: those of Σnll.
  const ops::SoftTargets* soft = nullptr;
  double weight = 1;          ///< factor of the gradients of all n targets, not of the losses
  at::Tensor soft_loss = {};  ///< −Σ p_T log p, [n] in max(fp32, dtype); target_nll allocates it if `soft` is given
};

/// Returns the targets of the segment of `length` tokens that begins at `first`: the token that follows each of its
/// tokens. The last target is the next segment's first token, if targets cross boundaries and there is such a token.
std::span<const std::int32_t> segment_targets(const SegmentConfig& config, std::span<const std::int32_t> text,
                                              std::int64_t first, std::int64_t length);

/// Returns −log p of each target, [n] in max(fp32, dtype) (eq:seg-loss; by the boundary rule, the last target of
/// segment i is the first token of segment i + 1). hidden: [n, D]; targets: [n] int64. Logits exist for a block of rows
/// at a time, never as [n, V]. If `gradient` is given, the gradients of the sum are computed at the same time, without
/// autograd.
at::Tensor target_nll(const Decoder& decoder, const at::Tensor& hidden, const at::Tensor& targets,
                      LossGradient* gradient = nullptr);

}  // namespace carryover
