// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// The loss of a softmax over rows of logits, one pass over memory on the CPU. Sums and exponentials are in
/// compute_type, whatever the dtype of the logits. Thread: engine.
namespace carryover::ops {

struct LogitLoss {
  at::Tensor nll;      ///< −log softmax(logits)[target], [n] in compute_type
  at::Tensor log_sum;  ///< log Σ exp(logits), [n] in compute_type
};

/// Values of a row that are summed at a time.
inline constexpr std::int64_t kLogitChunk = 2048;

/// log Σ exp of rows of logits that come a block of columns at a time. If each block but the last has a multiple of
/// kLogitChunk columns, the result is that of the whole rows, to the bit. CPU, without gradients. Thread: engine.
class LogSums {
 public:
  LogSums(std::int64_t rows, at::TensorOptions options);  ///< options: those of the logits

  void add(const at::Tensor& logits);  ///< [rows, columns], dense
  at::Tensor log_sums() const;         ///< [rows] in compute_type

 private:
  at::Tensor tops_, sums_;
};

/// Returns the loss. logits: [n, V], dense; targets: [n] int64. Differentiable.
LogitLoss logit_loss(const at::Tensor& logits, const at::Tensor& targets);

/// A teacher's prediction for n targets: its k likeliest tokens, and how its probability is divided among them.
struct SoftTargets {
  at::Tensor ids;            ///< [n, k] int64, dense
  at::Tensor probabilities;  ///< p_T: [n, k] in the logits' compute_type, dense; each row's sum is 1
  double weight = 0;         ///< λ in [0, 1]

  SoftTargets rows(std::int64_t first, std::int64_t count) const;
};

/// Returns −Σ p_T log softmax(logits) of each row, [n] in compute_type. Call it before the logits become their
/// gradient.
at::Tensor soft_loss(const at::Tensor& logits, const LogitLoss& loss, const SoftTargets& soft);

/// Turns logits into ∂Σnll/∂logits = softmax − one-hot, in place and in their dtype. With `soft` it is the gradient of
/// Σ (1 − λ)·nll + λ·soft_loss: softmax − (1 − λ)·one-hot − λ·p_T, rounded once.
void to_loss_gradient(at::Tensor& logits, const LogitLoss& loss, const at::Tensor& targets,
                      const SoftTargets* soft = nullptr);

}  // namespace carryover::ops
