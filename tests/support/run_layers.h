// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <functional>
#include <limits>

#include "engine/ops/elementwise.h"
#include "tests/support/tiny_decoder.h"

namespace carryover::test {

/// Attention of a layer with a window, over the whole text at once: query t sees tokens t − W + 1 to t.
inline at::Tensor attend_in_window(const ModelConfig& model, const Decoder::Projections& p) {
  const std::int64_t n = p.queries.size(1), share = model.group_size();
  Rope rope(model, model.window_rope.value_or(model.rope), n, p.queries.options());
  const RopeAngles angles = rope.angles(0, n);
  const at::Tensor queries = ops::rotate(p.queries, angles.cos, angles.sin),
                   keys = ops::rotate(p.keys, angles.cos, angles.sin).repeat_interleave(share, 0);
  const at::Tensor seen = at::ones({n, n}, at::kBool).tril().triu(1 - model.window);
  const at::Tensor scores = queries.matmul(keys.transpose(1, 2)) / std::sqrt(static_cast<double>(model.head_dim));
  const at::Tensor weights =
      scores.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity()).softmax(2);
  return weights.matmul(p.values.repeat_interleave(share, 0)).transpose(0, 1).reshape({n, -1});
}

/// A whole text at once through all layers, with attention as a reference defines it: from a layer's unrotated
/// projections its heads' outputs side by side, [n, H·d]. Hidden states, [n, D].
inline at::Tensor run_layers(const Decoder& decoder, const std::vector<std::int32_t>& ids,
                             const std::function<at::Tensor(int layer, const Decoder::Projections&)>& attend) {
  at::Tensor x = decoder.embed(as_tensor(ids));
  for (int layer = 0; layer < decoder.config.layers; ++layer) {
    const Decoder::Projections projections = decoder.project(layer, x, {});
    const at::Tensor attended = decoder.add_attention(
        layer, x,
        decoder.config.is_windowed(layer) ? attend_in_window(decoder.config, projections) : attend(layer, projections),
        {});
    x = decoder.add_feed_forward(layer, attended, x, {});
  }
  return decoder.finish(x);
}

}  // namespace carryover::test
