// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "engine/core/config/segment_config.h"
#include "engine/model/decoder.h"
#include "engine/ops/logit_loss.h"

namespace carryover {

/// Where the sum's gradients go while the losses are computed, so that no logits are kept or made twice.
struct LossGradient {
  at::Tensor hidden;     ///< [n, D], the hidden states' dtype; target_nll makes it
  at::Tensor head = {};  ///< [V, D] in max(fp32, dtype), added to; undefined where the head is frozen
  /// Of the n targets: the gradients are those of Σ (1 − λ)·nll + λ·soft_loss. Null: of Σnll.
  const ops::SoftTargets* soft = nullptr;
  double weight = 1;          ///< of the gradients of all n targets, not of the losses
  at::Tensor soft_loss = {};  ///< −Σ p_T log p, [n] in max(fp32, dtype); target_nll makes it where `soft` is given
};

/// The targets of the segment of `length` tokens that begins at `first`: each token's next. The last one's is the next
/// segment's first token, where targets cross boundaries and there is one.
std::span<const std::int32_t> segment_targets(const SegmentConfig& config, std::span<const std::int32_t> text,
                                              std::int64_t first, std::int64_t length);

/// −log p of each target (eq:seg-loss; the boundary rule gives segment i the first token of segment i + 1 as its last
/// target). hidden: [n, D]; targets: [n] int64. Returns [n] in max(fp32, dtype). Logits exist for a block of rows at a
/// time, never [n, V]. With `gradient` the sum's gradients are computed beside them, without autograd.
at::Tensor target_nll(const Decoder& decoder, const at::Tensor& hidden, const at::Tensor& targets,
                      LossGradient* gradient = nullptr);

}  // namespace carryover
