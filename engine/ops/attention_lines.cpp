// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/attention_lines.h"

#include <ATen/ATen.h>

#include <limits>
#include <vector>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/bf16_attention.h"
#include "engine/ops/cpu/bf16_lines.h"
#include "engine/ops/soft_cap.h"
#include "engine/runtime/compute_type.h"

namespace carryover::ops {

namespace {

/// Returns the sums of one head.
AttentionLines lines_of(const at::Tensor& queries, const at::Tensor& keys, double score_cap) {
  const std::int64_t w = queries.size(0), n = keys.size(0);
  const auto opmath = compute_type(queries.scalar_type());
  at::Tensor scores = at::mm(queries.to(opmath), keys.to(opmath).t()).mul_(attention_scale<double>(keys.size(1)));
  scores = soft_capped(scores, score_cap);
  const at::Tensor future = at::ones({w, w}, scores.options().dtype(at::kBool)).triu(1);
  scores.narrow(1, n - w, w).masked_fill_(future, -std::numeric_limits<double>::infinity());
  const at::Tensor weights = scores.softmax(1), padded = at::constant_pad_nd(weights, {w - 1, 0});
  return {weights.sum(0).cpu(), padded.as_strided({w, n}, {padded.size(1) + 1, 1}).sum(0).cpu()};
}

}  // namespace

AttentionLines materialised_lines(const at::Tensor& queries, const at::Tensor& keys, double score_cap) {
  const std::int64_t share = queries.size(0) / keys.size(0);
  std::vector<at::Tensor> columns, diagonals;
  for (std::int64_t head = 0; head < queries.size(0); ++head) {
    AttentionLines lines = lines_of(queries[head], keys[head / share], score_cap);
    columns.push_back(std::move(lines.columns));
    diagonals.push_back(std::move(lines.diagonals));
  }
  return {at::stack(columns), at::stack(diagonals)};
}

AttentionLines attention_lines(const at::Tensor& queries, const at::Tensor& keys, double score_cap) {
  CARRYOVER_CHECK(queries.size(0) % keys.size(0) == 0 && queries.size(1) <= keys.size(1));
  const bool fast = score_cap == 0 && queries.is_cpu() && has_bf16_attention(queries.unsqueeze(0)) &&
                    queries.stride(2) == 1 && keys.stride(2) == 1;
  if (!fast) return materialised_lines(queries, keys, score_cap);
  auto [columns, diagonals] = bf16_lines(queries, keys);
  return {std::move(columns), std::move(diagonals)};
}

}  // namespace carryover::ops
