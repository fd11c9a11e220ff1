// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/segment_loss.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "engine/core/cost_model.h"

namespace carryover {

namespace {

/// ∂Σnll/∂logits = softmax − one-hot, made in place of the logits, and from it the block's gradients.
void add_gradient(const Decoder& decoder, at::Tensor logits, const at::Tensor& log_sum, const at::Tensor& hidden,
                  const at::Tensor& targets, at::Tensor hidden_gradient, at::Tensor& head_gradient) {
  logits.sub_(log_sum.unsqueeze(1)).exp_();
  logits.scatter_add_(1, targets, at::full_like(targets, -1, logits.options()));
  const at::Tensor to_logits = logits.to(hidden.scalar_type());
  at::mm_out(hidden_gradient, to_logits, decoder.weights.head);
  if (!head_gradient.defined()) return;
  if (head_gradient.scalar_type() == hidden.scalar_type())
    head_gradient.addmm_(to_logits.t(), hidden);
  else
    head_gradient.add_(at::mm(to_logits.t(), hidden));
}

}  // namespace

at::Tensor target_nll(const Decoder& decoder, const at::Tensor& hidden, const at::Tensor& targets,
                      LossGradient* gradient) {
  const at::AutoGradMode mode(at::GradMode::is_enabled() && gradient == nullptr);
  const std::int64_t n = targets.size(0);
  const std::int64_t rows = std::max<std::int64_t>(1, logit_block_bytes / (decoder.config.vocabulary * 4));
  if (gradient != nullptr) gradient->hidden = at::empty({n, hidden.size(1)}, hidden.options());
  std::vector<at::Tensor> blocks;
  for (std::int64_t first = 0; first < n; first += rows) {
    const std::int64_t count = std::min(rows, n - first);
    const at::Tensor block = hidden.narrow(0, first, count), chosen = targets.narrow(0, first, count).unsqueeze(1);
    const at::Tensor logits = decoder.logits(block), log_sum = logits.logsumexp(1);
    blocks.push_back(log_sum - logits.gather(1, chosen).squeeze(1));
    if (gradient != nullptr)
      add_gradient(decoder, logits, log_sum, block, chosen, gradient->hidden.narrow(0, first, count), gradient->head);
  }
  return at::cat(blocks);
}

}  // namespace carryover
