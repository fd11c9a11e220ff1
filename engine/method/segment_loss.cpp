// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/segment_loss.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/core/cost_model.h"

namespace carryover {

at::Tensor target_nll(const Decoder& decoder, const at::Tensor& hidden, const at::Tensor& targets) {
  const std::int64_t n = targets.size(0);
  const std::int64_t rows = std::max<std::int64_t>(1, logit_block_bytes / (decoder.config.vocabulary * 4));
  std::vector<at::Tensor> blocks;
  for (std::int64_t first = 0; first < n; first += rows) {
    const std::int64_t count = std::min(rows, n - first);
    const at::Tensor logits = decoder.logits(hidden.narrow(0, first, count));
    const at::Tensor chosen = logits.gather(1, targets.narrow(0, first, count).unsqueeze(1)).squeeze(1);
    blocks.push_back(logits.logsumexp(1) - chosen);
  }
  return at::cat(blocks);
}

}  // namespace carryover
