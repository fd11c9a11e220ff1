// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/segment_loss.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "engine/cost/cost_model.h"
#include "engine/ops/matmul.h"
#include "engine/ops/soft_cap.h"
#include "engine/runs/values/partition.h"

namespace carryover {

namespace {

/// A matmul of fewer rows takes about as long as reading the head from memory.
constexpr std::int64_t kFewRows = 128;
constexpr std::int64_t kHeadRows = 4096;  ///< number of rows of the head whose gradients are upcast at a time

/// Computes the gradients of a block of rows from ∂Σnll/∂logits of that block.
void add_gradient(const Decoder& decoder, const at::Tensor& to_logits, const at::Tensor& hidden,
                  at::Tensor hidden_gradient, at::Tensor& head_gradient) {
  hidden_gradient.copy_(ops::matmul_to_input(to_logits, decoder.weights.head));
  if (!head_gradient.defined()) return;
  if (head_gradient.scalar_type() == hidden.scalar_type()) {
    head_gradient.addmm_(to_logits.t(), hidden);
    return;
  }
  const std::int64_t vocabulary = head_gradient.size(0);
  for (std::int64_t first = 0; first < vocabulary; first += kHeadRows) {
    const std::int64_t count = std::min(kHeadRows, vocabulary - first);
    head_gradient.narrow(0, first, count).add_(ops::matmul_to_weight(to_logits.narrow(1, first, count), hidden));
  }
}

/// Losses of rows whose logits are computed a block of the vocabulary at a time, so that the head is read from memory
/// once for all of them. CPU, without gradients.
at::Tensor nll_by_columns(const Decoder& decoder, const at::Tensor& hidden, const at::Tensor& targets,
                          std::int64_t columns) {
  const std::int64_t vocabulary = decoder.config.vocabulary;
  ops::LogSums sums(hidden.size(0), hidden.options());
  at::Tensor chosen = at::zeros({hidden.size(0)}, hidden.options());
  for (std::int64_t first = 0; first < vocabulary; first += columns) {
    const std::int64_t count = std::min(columns, vocabulary - first);
    const at::Tensor logits = decoder.logits(hidden, first, count);
    sums.add(logits);
    const at::Tensor own = (targets >= first).logical_and_(targets < first + count).nonzero().squeeze(1);
    chosen.index_put_({own}, logits.index({own, targets.index_select(0, own) - first}));
  }
  const at::Tensor log_sums = sums.log_sums();
  return log_sums - chosen.to(log_sums.scalar_type());
}

}  // namespace

std::span<const std::int32_t> segment_targets(const SegmentConfig& config, std::span<const std::int32_t> text,
                                              std::int64_t first, std::int64_t length) {
  const std::int64_t own = config.cross_boundary_target ? length : length - 1;
  return part_of(text, first + 1, std::clamp<std::int64_t>(std::ssize(text) - first - 1, 0, own));
}

at::Tensor target_nll(const Decoder& decoder, const at::Tensor& hidden, const at::Tensor& targets,
                      LossGradient* gradient) {
  const at::AutoGradMode mode(at::GradMode::is_enabled() && gradient == nullptr);
  const std::int64_t n = targets.size(0);
  const auto row_bytes = decoder.config.vocabulary * static_cast<std::int64_t>(hidden.itemsize());
  const std::int64_t rows = std::max<std::int64_t>(1, logit_block_bytes / row_bytes);
  if (gradient != nullptr) gradient->hidden = at::empty({n, hidden.size(1)}, hidden.options());
  std::vector<at::Tensor> blocks, soft_blocks;
  if (rows < std::min(kFewRows, n) && hidden.is_cpu() && !at::GradMode::is_enabled() && gradient == nullptr) {
    constexpr std::int64_t at_once = 512;
    const std::int64_t columns = rows * decoder.config.vocabulary / at_once / ops::kLogitChunk * ops::kLogitChunk;
    for (std::int64_t first = 0; first < n; first += at_once) {
      const std::int64_t count = std::min(at_once, n - first);
      blocks.push_back(nll_by_columns(decoder, hidden.narrow(0, first, count), targets.narrow(0, first, count),
                                      std::max(columns, ops::kLogitChunk)));
    }
    return at::cat(blocks);
  }
  for (std::int64_t first = 0; first < n; first += rows) {
    const std::int64_t count = std::min(rows, n - first);
    const at::Tensor block = hidden.narrow(0, first, count), chosen = targets.narrow(0, first, count);
    at::Tensor logits = decoder.logits(block);
    const ops::LogitLoss loss = ops::logit_loss(logits, chosen);
    blocks.push_back(loss.nll);
    if (gradient == nullptr) continue;
    const double cap = decoder.config.logit_cap;
    const at::Tensor capped = cap == 0 ? logits : logits.clone();  // logits become their gradient
    if (gradient->soft != nullptr) {
      const ops::SoftTargets soft = gradient->soft->rows(first, count);
      soft_blocks.push_back(ops::soft_loss(logits, loss, soft));
      ops::to_loss_gradient(logits, loss, chosen, &soft);
    } else {
      ops::to_loss_gradient(logits, loss, chosen);
    }
    ops::to_uncapped_gradient(logits, capped, cap);
    if (gradient->weight != 1) logits.mul_(gradient->weight);
    add_gradient(decoder, logits, block, gradient->hidden.narrow(0, first, count), gradient->head);
  }
  if (!soft_blocks.empty()) gradient->soft_loss = at::cat(soft_blocks);
  return at::cat(blocks);
}

}  // namespace carryover
