// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/decoder.h"

#include <ATen/ATen.h>

#include "engine/ops/elementwise.h"
#include "engine/ops/linear.h"

namespace carryover {

/// A layer's product with one of its matrices, adapter included.
at::Tensor Decoder::linear(int layer, const at::Tensor& x, const at::Tensor& weight,
                           std::vector<LowRankUpdate> LayerAdapter::*updates, const AdapterDropout& dropout) const {
  if (adapter.empty()) return ops::linear(x, weight);
  return adapted_linear(x, weight, adapter.layers[static_cast<std::size_t>(layer)].*updates, adapter.scale, dropout);
}

at::Tensor Decoder::embed(const at::Tensor& ids) const {
  return at::embedding(weights.embedding, ids);
}

Decoder::Projections Decoder::project(int layer, const at::Tensor& x, const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const std::int64_t m = x.size(0), d = config.head_dim;
  const at::Tensor normed = ops::rms_norm(x, w.attention_norm, config.norm_epsilon);
  const at::Tensor rows = linear(layer, normed, w.qkv, &LayerAdapter::qkv, dropout)
                              .view({m, config.heads + 2 * config.kv_heads, d})
                              .transpose(0, 1);
  return {rows.narrow(0, 0, config.heads), rows.narrow(0, config.heads, config.kv_heads),
          rows.narrow(0, config.heads + config.kv_heads, config.kv_heads)};
}

at::Tensor Decoder::add_attention(int layer, const at::Tensor& x, const at::Tensor& heads,
                                  const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const at::Tensor rows = heads.transpose(0, 1).reshape({x.size(0), config.heads * config.head_dim});
  return x + linear(layer, rows, w.output, &LayerAdapter::output, dropout);
}

at::Tensor Decoder::add_feed_forward(int layer, const at::Tensor& x, const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const at::Tensor normed = ops::rms_norm(x, w.feed_forward_norm, config.norm_epsilon);
  const at::Tensor inner = ops::swiglu(linear(layer, normed, w.gate_up, &LayerAdapter::gate_up, dropout));
  return x + linear(layer, inner, w.down, &LayerAdapter::down, dropout);
}

at::Tensor Decoder::finish(const at::Tensor& x) const {
  return ops::rms_norm(x, weights.final_norm, config.norm_epsilon);
}

at::Tensor Decoder::logits(const at::Tensor& hidden) const {
  return ops::linear(hidden, weights.head);
}

}  // namespace carryover
