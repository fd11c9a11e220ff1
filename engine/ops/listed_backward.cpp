// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/listed_backward.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "engine/base/attention_scale.h"
#include "engine/ops/prefix_attention.h"
#include "engine/ops/soft_cap.h"
#include "engine/runtime/compute_type.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kWeights = std::int64_t{1} << 21;  ///< number of weights of a block

/// One head's rows of all tensors, in opmath.
struct Head {
  at::Tensor queries, gradient, out;          ///< [m, d]
  at::Tensor keys, values;                    ///< [P + n, d]
  at::Tensor to_queries, to_keys, to_values;  ///< same shapes; gradients are summed into them
};

/// Returns the range from the first to the last key that a row of an index lists for `count` queries from `first` on;
/// empty if it lists none.
KeyRange listed_span(const KeyIndex& index, std::int64_t row, std::int64_t first, std::int64_t count) {
  KeyRange span;
  for (std::int64_t tile = index.tile_of(first); tile < index.tiles() && index.first(tile) < first + count; ++tile) {
    const std::vector<KeyRange>& list = index.list(row, tile);
    if (list.empty()) continue;
    span = span.length() == 0 ? KeyRange{list.front().first, list.back().end}
                              : KeyRange{std::min(span.first, list.front().first), std::max(span.end, list.back().end)};
  }
  return span;
}

/// Adds the contribution of `count` queries from `first` on. `visible`: [count, keys from `begin` on].
void add_block(const Head& head, const at::Tensor& visible, std::int64_t first, std::int64_t begin, double score_cap) {
  const std::int64_t count = visible.size(0), seen = visible.size(1);
  const double scale = attention_scale<double>(head.keys.size(1));
  const auto of_block = [&](const at::Tensor& rows) { return rows.narrow(0, first, count); };
  const auto between = [&](const at::Tensor& rows) { return rows.narrow(0, begin, seen); };
  const at::Tensor hidden = visible.logical_not(), queries = of_block(head.queries) * scale,
                   gradient = of_block(head.gradient);
  const at::Tensor scores = soft_capped(queries.mm(between(head.keys).t()), score_cap);
  at::Tensor weights = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
  weights = weights.softmax(1).masked_fill_(hidden, 0);  // also if a query sees no key
  between(head.to_values).addmm_(weights.t(), gradient);
  at::Tensor to_scores = gradient.mm(between(head.values).t());
  to_scores.sub_((gradient * of_block(head.out)).sum(1, true)).mul_(weights);
  to_uncapped_gradient(to_scores, scores, score_cap);
  of_block(head.to_queries).addmm_(to_scores, between(head.keys), 1, scale);
  between(head.to_keys).addmm_(to_scores.t(), queries);
}

}  // namespace

ListedGradients listed_backward(const at::Tensor& gradient, const at::Tensor& out, const at::Tensor& queries,
                                const at::Tensor& keys, const at::Tensor& values, const KeyIndex& index,
                                double score_cap) {
  const auto opmath = compute_type(queries.scalar_type());
  const std::int64_t r = queries.size(1), m = queries.size(2), all = keys.size(2),
                     step = std::clamp<std::int64_t>(kWeights / all, 1, m);
  const auto zeros = [&](const at::Tensor& like) { return at::zeros(like.sizes(), like.options().dtype(opmath)); };
  ListedGradients to{zeros(queries), zeros(keys), zeros(values)};
  for (std::int64_t row = 0; row < queries.size(0) * r; ++row) {
    const auto own = [&](const at::Tensor& rows) { return rows[row / r][rows.size(1) == 1 ? 0 : row % r]; };
    const Head head{own(queries).to(opmath), own(gradient).to(opmath), own(out).to(opmath), own(keys).to(opmath),
                    own(values).to(opmath),  own(to.queries),          own(to.keys),        own(to.values)};
    for (std::int64_t first = 0; first < m; first += step) {
      const std::int64_t count = std::min(step, m - first);
      const std::int64_t list = index.shared ? row / r : row;
      const KeyRange span = listed_span(index, list, first, count);
      const std::int64_t seen = std::min<std::int64_t>(span.end, all - m + first + count) - span.first;
      if (seen <= 0) continue;
      const at::Tensor visible = listed_keys(index, list, first, count, all, keys.device());
      add_block(head, visible.narrow(1, span.first, seen), first, span.first, score_cap);
    }
  }
  return to;
}

}  // namespace carryover::ops
