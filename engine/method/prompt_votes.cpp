// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/prompt_votes.h"

#include <ATen/ATen.h>

#include <limits>
#include <vector>

#include "engine/base/attention_scale.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/soft_cap.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

constexpr std::int64_t kNeighbours = 5;  ///< number of neighbouring positions over which votes are smoothed

}  // namespace

at::Tensor prompt_votes(const at::Tensor& queries, const at::Tensor& keys, std::int64_t end, Rope& rope,
                        double score_cap) {
  const std::int64_t w = queries.size(1), n = keys.size(1), kv_heads = keys.size(0), share = queries.size(0) / kv_heads;
  const RopeAngles& angles = rope.angles(end - w, w);
  const at::Tensor rotated = ops::rotate(queries, angles.cos, angles.sin);
  const at::Tensor future = at::ones({w, w}, keys.options().dtype(at::kBool)).triu(1);
  std::vector<at::Tensor> votes;
  for (std::int64_t row = 0; row < kv_heads; ++row) {  // [r, w, n], for one KV head at a time
    at::Tensor scores = at::matmul(rotated.narrow(0, row * share, share), keys[row].t());
    scores = scores.to(ops::compute_type(keys.scalar_type())).mul_(attention_scale<double>(keys.size(2)));
    scores = ops::soft_capped(scores, score_cap);
    scores.narrow(2, n - w, w).masked_fill_(future, -std::numeric_limits<double>::infinity());
    const at::Tensor mean = scores.softmax(2).narrow(2, 0, n - w).mean(1, true);
    votes.push_back(at::avg_pool1d(mean, kNeighbours, 1, kNeighbours / 2).mean(0).squeeze(0));
  }
  return at::stack(votes);
}

}  // namespace carryover
