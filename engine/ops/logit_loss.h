// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// Softmax's loss over rows of logits, one pass over memory on the CPU. Sums and exponentials are in compute_type,
/// whatever the logits are in. Engine thread.
namespace carryover::ops {

struct LogitLoss {
  at::Tensor nll;      ///< −log softmax(logits)[target], [n] in compute_type
  at::Tensor log_sum;  ///< log Σ exp(logits), [n] in compute_type
};

/// logits: [n, V], dense; targets: [n] int64. Differentiable.
LogitLoss logit_loss(const at::Tensor& logits, const at::Tensor& targets);

/// Makes of logits ∂Σnll/∂logits = softmax − one-hot, in place and in their dtype.
void to_loss_gradient(at::Tensor& logits, const LogitLoss& loss, const at::Tensor& targets);

}  // namespace carryover::ops
