// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/decoder/decoder.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "engine/base/error.h"
#include "engine/ops/cpu/packed_weight.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/linear.h"

namespace carryover {

/// Multiplies x by one of a layer's matrices, adapter included.
at::Tensor Decoder::linear(int layer, const at::Tensor& x, WeightSlot matrix, const AdapterDropout& dropout) const {
  const auto l = static_cast<std::size_t>(layer);
  const at::Tensor& weight = weights.layers[l].slot(matrix);
  if (adapter.empty()) return ops::linear(x, weight);
  return adapted_linear(x, weight, adapter.layers[l].slot(matrix), adapter.scale, dropout);
}

at::Tensor Decoder::norm_linear(int layer, const at::Tensor& x, const at::Tensor& gains, WeightSlot matrix,
                                const AdapterDropout& dropout) const {
  if (adapter.empty())
    return ops::norm_linear(x, norm(gains), weights.layers[static_cast<std::size_t>(layer)].slot(matrix));
  return linear(layer, ops::rms_norm(x, norm(gains)), matrix, dropout);
}

at::Tensor Decoder::embed(const at::Tensor& ids) const {
  const at::Tensor rows =
      ops::is_packed(weights.embedding)
          ? ops::packed_embedding(weights.embedding, ids, weights.final_norm.scalar_type())
          : at::embedding(weights.embedding, ids, /*padding_idx=*/-1, /*scale_grad_by_freq=*/false, /*sparse=*/true);
  return family().scaled_embedding ? rows * std::sqrt(static_cast<double>(config.hidden)) : rows;
}

Decoder::Projections Decoder::project(int layer, const at::Tensor& x, const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const std::int64_t m = x.size(0), d = config.head_dim;
  at::Tensor flat = norm_linear(layer, x, w.attention_norm, WeightSlot::Qkv, dropout);
  if (w.qkv_bias.defined()) flat = flat + w.qkv_bias;
  at::Tensor all = flat.view({m, config.heads + 2 * config.kv_heads, d});
  if (w.query_norm.defined()) all = norm_heads(w, all);
  CARRYOVER_CHECK(w.query_norm.defined() || config.query_scale == 1);
  const at::Tensor rows = all.transpose(0, 1);
  at::Tensor values = rows.narrow(0, config.heads + config.kv_heads, config.kv_heads);
  // Attention's backward keeps the values; a view would keep the whole result in memory.
  if (at::GradMode::is_enabled()) values = values.contiguous();
  return {rows.narrow(0, 0, config.heads), rows.narrow(0, config.heads, config.kv_heads), values, all};
}

/// Norms the queries and keys of each head. all: as Projections::all.
at::Tensor Decoder::norm_heads(const LayerWeights& layer, const at::Tensor& all) const {
  const at::Tensor queries = all.narrow(1, 0, config.heads), keys = all.narrow(1, config.heads, config.kv_heads),
                   values = all.narrow(1, config.heads + config.kv_heads, config.kv_heads);
  at::Tensor normed = ops::rms_norm(queries, norm(layer.query_norm));
  if (config.query_scale != 1) normed = normed * config.query_scale;
  return at::cat({normed, ops::rms_norm(keys, norm(layer.key_norm)), values}, 1);
}

at::Tensor Decoder::branch_gates(int layer, const at::Tensor& x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const std::int64_t m = x.size(0);
  if (w.gates.empty()) {
    const std::vector<double> logits(std::begin(kNeutralGates), std::end(kNeutralGates));
    return at::tensor(logits, at::kDouble).to(options()).sigmoid().view({1, 3, 1}).expand({config.heads, 3, m});
  }
  const at::Tensor logits = ops::linear(ops::rms_norm(x, norm(w.attention_norm)), w.gates.rows) + w.gates.bias;
  return logits.sigmoid().view({m, config.heads, 3}).permute({1, 2, 0});
}

at::Tensor Decoder::add_attention(int layer, const at::Tensor& x, const at::Tensor& heads,
                                  const AdapterDropout& dropout, bool reuses_x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  if (w.attention_out_norm.defined())
    return x + ops::rms_norm(linear(layer, heads, WeightSlot::Output, dropout), norm(w.attention_out_norm));
  if (adapter.empty()) return ops::add_linear(x, heads, w.output, reuses_x);
  return x + linear(layer, heads, WeightSlot::Output, dropout);
}

at::Tensor Decoder::written_by(int layer, const at::Tensor& parts) const {
  const at::Tensor& out_norm = weights.layers[static_cast<std::size_t>(layer)].attention_out_norm;
  const at::Tensor written = linear(layer, parts, WeightSlot::Output, {});
  if (!out_norm.defined()) return written;
  const at::Tensor whole = linear(layer, parts.sum(0, true), WeightSlot::Output, {});
  const at::Tensor scale = (whole.to(at::kDouble).square().mean() + config.norm_epsilon).rsqrt();
  return written * ((out_norm.to(at::kDouble) + family().norm_offset) * scale).to(written.scalar_type());
}

at::Tensor Decoder::add_feed_forward(int layer, const at::Tensor& x, const AdapterDropout& dropout,
                                     bool reuses_x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const Activation activation = family().activation;
  const at::Tensor gate_up = norm_linear(layer, x, w.feed_forward_norm, WeightSlot::GateUp, dropout);
  const bool plain = adapter.empty(), normed = w.feed_forward_out_norm.defined();
  if (plain && !normed) return ops::add_gated_linear(x, gate_up, activation, w.down, reuses_x);
  const at::Tensor out = plain ? ops::gated_linear(gate_up, activation, w.down)
                               : linear(layer, ops::gated(gate_up, activation), WeightSlot::Down, dropout);
  return x + (normed ? ops::rms_norm(out, norm(w.feed_forward_out_norm)) : out);
}

at::Tensor Decoder::finish(const at::Tensor& x) const {
  return ops::rms_norm(x, norm(weights.final_norm));
}

at::Tensor Decoder::final_gains() const {
  return weights.final_norm.to(at::kDouble) + family().norm_offset;
}

at::Tensor Decoder::head_row(std::int64_t token) const {
  if (!ops::is_packed(weights.head)) return weights.head[token];
  return ops::unpack_weight_rows(weights.head, token, 1, weights.final_norm.scalar_type())[0];
}

at::Tensor Decoder::logits(const at::Tensor& hidden) const {
  return ops::linear(hidden, weights.head);
}

}  // namespace carryover
