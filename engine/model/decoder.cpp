// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/decoder.h"

#include <ATen/ATen.h>

#include "engine/ops/elementwise.h"

namespace carryover {

at::Tensor Decoder::embed(const at::Tensor& ids) const {
  return at::embedding(weights.embedding, ids);
}

Decoder::Projections Decoder::project(int layer, const at::Tensor& x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const std::int64_t m = x.size(0), d = config.head_dim;
  const at::Tensor normed = ops::rms_norm(x, w.attention_norm, config.norm_epsilon);
  const at::Tensor rows = at::linear(normed, w.qkv).view({m, config.heads + 2 * config.kv_heads, d}).transpose(0, 1);
  return {rows.narrow(0, 0, config.heads), rows.narrow(0, config.heads, config.kv_heads),
          rows.narrow(0, config.heads + config.kv_heads, config.kv_heads)};
}

at::Tensor Decoder::add_attention(int layer, const at::Tensor& x, const at::Tensor& heads) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  return x + at::linear(heads.transpose(0, 1).reshape({x.size(0), config.heads * config.head_dim}), w.output);
}

at::Tensor Decoder::add_feed_forward(int layer, const at::Tensor& x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const at::Tensor normed = ops::rms_norm(x, w.feed_forward_norm, config.norm_epsilon);
  return x + at::linear(ops::swiglu(at::linear(normed, w.gate_up)), w.down);
}

at::Tensor Decoder::finish(const at::Tensor& x) const {
  return ops::rms_norm(x, weights.final_norm, config.norm_epsilon);
}

at::Tensor Decoder::logits(const at::Tensor& hidden) const {
  return at::linear(hidden, weights.head).to(ops::compute_type(hidden.scalar_type()));
}

}  // namespace carryover
