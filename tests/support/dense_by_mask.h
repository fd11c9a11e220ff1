// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <functional>
#include <limits>

#include "engine/ops/elementwise.h"
#include "tests/support/run_layers.h"

namespace carryover::test {

/// Attention over the whole text at once, of which a mask says what each query of each head sees. Materialises all of
/// it. For policies whose masks depend on queries and keys.
class DenseByMask {
 public:
  /// queries: [H, n, d], keys: [H_kv, n, d], rotated; gives [H, n, n] bool, true where a query sees a key. What it says
  /// of keys ahead of a query doesn't count.
  using Mask = std::function<at::Tensor(int layer, const at::Tensor& queries, const at::Tensor& keys)>;

  DenseByMask(const Decoder& decoder, std::int64_t tokens, Mask mask)
      : decoder_(decoder),
        mask_(std::move(mask)),
        ropes_(decoder.config, decoder.config.rope, tokens, decoder.options()) {}

  at::Tensor run(const std::vector<std::int32_t>& ids) {
    return run_layers(decoder_, ids, [this](int layer, const Decoder::Projections& p) { return attend(layer, p); });
  }

 private:
  at::Tensor attend(int layer, const Decoder::Projections& p) {
    const std::int64_t n = p.queries.size(1), heads = p.queries.size(0), share = heads / p.keys.size(0);
    const RopeAngles& angles = ropes_.of(layer).angles(0, n);
    const at::Tensor queries = ops::rotate(p.queries, angles.cos, angles.sin),
                     keys = ops::rotate(p.keys, angles.cos, angles.sin);
    const at::Tensor hidden = mask_(layer, queries, keys).tril().logical_not();
    const at::Tensor scores =
        queries.matmul(keys.repeat_interleave(share, 0).transpose(1, 2)) / std::sqrt(static_cast<double>(keys.size(2)));
    const at::Tensor weights =
        scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()).softmax(2).masked_fill(hidden, 0);
    return weights.matmul(p.values.repeat_interleave(share, 0)).transpose(0, 1).reshape({n, -1});
  }

  const Decoder& decoder_;
  Mask mask_;
  Ropes ropes_;
};

}  // namespace carryover::test
