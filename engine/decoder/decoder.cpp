// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/decoder/decoder.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "engine/base/error.h"
#include "engine/ops/cpu/packed_weight.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/linear.h"
#include "engine/ops/soft_cap.h"

namespace carryover {

namespace {

at::Tensor with_bias(const at::Tensor& rows, const at::Tensor& bias) {
  return bias.defined() ? rows + bias : rows;
}

}  // namespace

/// Multiplies x by one of a layer's matrices, adapter included.
at::Tensor Decoder::linear(int layer, const at::Tensor& x, WeightSlot matrix, const AdapterDropout& dropout) const {
  const auto l = static_cast<std::size_t>(layer);
  const at::Tensor& weight = weights.layers[l].slot(matrix);
  if (adapter.empty()) return ops::linear(x, weight);
  return adapted_linear(x, weight, adapter.layers[l].slot(matrix), adapter.scale, dropout);
}

at::Tensor Decoder::norm_linear(int layer, const at::Tensor& x, const NormWeights& by, WeightSlot matrix,
                                const AdapterDropout& dropout) const {
  if (adapter.empty() && by.gains.defined() && !by.bias.defined())
    return ops::norm_linear(x, norm(by.gains), weights.layers[static_cast<std::size_t>(layer)].slot(matrix));
  return linear(layer, normed(x, by), matrix, dropout);
}

at::Tensor Decoder::normed(const at::Tensor& x, const NormWeights& by) const {
  if (by.bias.defined()) return ops::layer_norm(x, by.gains, by.bias, config.norm_epsilon);
  return by.gains.defined() ? ops::rms_norm(x, norm(by.gains)) : x;
}

at::Tensor Decoder::activated(const at::Tensor& gate_up) const {
  const Activation activation = family().activation;
  return family().gated_feed_forward ? ops::gated(gate_up, activation) : ops::activated(gate_up, activation);
}

at::Tensor Decoder::added(const at::Tensor& written, const at::Tensor& gains) const {
  const at::Tensor out = normed(written, {gains, {}});
  return config.residual_scale == 1 ? out : out * config.residual_scale;
}

at::Tensor Decoder::embed(const at::Tensor& ids) const {
  const at::Tensor rows =
      ops::is_packed(weights.embedding)
          ? ops::packed_embedding(weights.embedding, ids, weights.final_norm.scalar_type())
          : at::embedding(weights.embedding, ids, /*padding_idx=*/-1, /*scale_grad_by_freq=*/false, /*sparse=*/true);
  return config.embedding_scale == 1 ? rows : rows * config.embedding_scale;
}

Decoder::Projections Decoder::project(int layer, const at::Tensor& x, const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const std::int64_t m = x.size(0), d = config.head_dim;
  const NormWeights by{w.attention_norm, w.attention_norm_bias};
  const at::Tensor flat = with_bias(norm_linear(layer, x, by, WeightSlot::Qkv, dropout), w.qkv_bias);
  at::Tensor all = family().projections == StoredProjections::FusedByHead
                       ? flat.view({m, config.heads, 3, d}).transpose(1, 2).reshape({m, 3 * config.heads, d})
                       : flat.view({m, config.heads + 2 * config.kv_heads, d});
  if (w.query_norm.defined() || config.query_scale != 1 || config.rotated_dims != 0) all = prepare_heads(w, all);
  Projections fresh = side_by_side(all, config.heads);
  // Attention's backward keeps the values; a view would keep the whole result in memory.
  if (at::GradMode::is_enabled()) fresh.values = fresh.values.contiguous();
  return fresh;
}

Decoder::Projections Decoder::side_by_side(const at::Tensor& all, std::int64_t heads) {
  const at::Tensor rows = all.transpose(0, 1);
  const std::int64_t kv_heads = (rows.size(0) - heads) / 2;
  return {rows.narrow(0, 0, heads), rows.narrow(0, heads, kv_heads), rows.narrow(0, heads + kv_heads, kv_heads), all};
}

/// Puts the two halves of the dimensions that RoPE rotates where it finds the pairs of a head that it rotates as a
/// whole. A dot product of two heads stays what it is. heads: [m, n, d].
at::Tensor Decoder::pair_rotated(const at::Tensor& heads) const {
  const std::int64_t rotated = config.rope_dims() / 2, rest = config.head_dim / 2 - rotated;
  return at::cat({heads.narrow(2, 0, rotated), heads.narrow(2, 2 * rotated, rest), heads.narrow(2, rotated, rotated),
                  heads.narrow(2, 2 * rotated + rest, rest)},
                 2);
}

/// Norms queries and keys where the family does, each head apart or all together, scales queries, and pairs what RoPE
/// rotates. all: as Projections::all.
at::Tensor Decoder::prepare_heads(const LayerWeights& layer, const at::Tensor& all) const {
  const at::Tensor values = all.narrow(1, config.heads + config.kv_heads, config.kv_heads);
  at::Tensor queries = all.narrow(1, 0, config.heads), keys = all.narrow(1, config.heads, config.kv_heads);
  const auto normed_heads = [this](const at::Tensor& heads, const at::Tensor& gains) {
    return normed(heads.reshape({heads.size(0), -1, gains.size(0)}), {gains, {}}).view(heads.sizes());
  };
  if (layer.query_norm.defined()) {
    queries = normed_heads(queries, layer.query_norm);
    keys = normed_heads(keys, layer.key_norm);
  }
  if (config.query_scale != 1) queries = queries * config.query_scale;
  if (config.rotated_dims != 0) queries = pair_rotated(queries), keys = pair_rotated(keys);
  return at::cat({queries, keys, values}, 1);
}

at::Tensor Decoder::branch_gates(int layer, const at::Tensor& x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const std::int64_t m = x.size(0);
  if (w.gates.empty()) {
    const std::vector<double> logits(std::begin(kNeutralGates), std::end(kNeutralGates));
    return at::tensor(logits, at::kDouble).to(options()).sigmoid().view({1, 3, 1}).expand({config.heads, 3, m});
  }
  const at::Tensor read = normed(x, {w.attention_norm, w.attention_norm_bias});
  const at::Tensor logits = ops::linear(read, w.gates.rows) + w.gates.bias;
  return logits.sigmoid().view({m, config.heads, 3}).permute({1, 2, 0});
}

at::Tensor Decoder::add_attention(int layer, const at::Tensor& x, const at::Tensor& heads,
                                  const AdapterDropout& dropout, bool reuses_x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const bool plain = !w.output_bias.defined() && !w.attention_out_norm.defined() && config.residual_scale == 1;
  if (adapter.empty() && plain) return ops::add_linear(x, heads, w.output, reuses_x && !config.parallel_blocks);
  return x + attention_out(layer, heads, dropout);
}

at::Tensor Decoder::attention_out(int layer, const at::Tensor& heads, const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  return added(with_bias(linear(layer, heads, WeightSlot::Output, dropout), w.output_bias), w.attention_out_norm);
}

at::Tensor Decoder::written_by(int layer, const at::Tensor& parts) const {
  const at::Tensor& out_norm = weights.layers[static_cast<std::size_t>(layer)].attention_out_norm;
  const at::Tensor written = linear(layer, parts, WeightSlot::Output, {}) * config.residual_scale;
  if (!out_norm.defined()) return written;
  const at::Tensor whole = linear(layer, parts.sum(0, true), WeightSlot::Output, {});
  return written * norm_factors(out_norm, whole).to(written.scalar_type());
}

at::Tensor Decoder::norm_factors(const at::Tensor& gains, const at::Tensor& row) const {
  const at::Tensor scale = (row.to(at::kDouble).square().mean() + config.norm_epsilon).rsqrt();
  return (gains.to(at::kDouble) + family().norm_offset) * scale;
}

at::Tensor Decoder::gate_up(int layer, const at::Tensor& x, const at::Tensor& entering,
                            const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const NormWeights by{w.feed_forward_norm, w.feed_forward_norm_bias};
  return with_bias(norm_linear(layer, config.parallel_blocks ? entering : x, by, WeightSlot::GateUp, dropout),
                   w.up_bias);
}

at::Tensor Decoder::add_feed_forward(int layer, const at::Tensor& x, const at::Tensor& entering,
                                     const AdapterDropout& dropout, bool reuses_x) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const bool fused = adapter.empty() && family().gated_feed_forward;
  const bool plain = !w.down_bias.defined() && !w.feed_forward_out_norm.defined() && config.residual_scale == 1;
  if (!fused) return x + feed_forward_out(layer, active_neurons(layer, x, entering, dropout), dropout);
  const Activation activation = family().activation;
  const at::Tensor gate_up = this->gate_up(layer, x, entering, dropout);
  if (plain) return ops::add_gated_linear(x, gate_up, activation, w.down, reuses_x);
  return x + added(with_bias(ops::gated_linear(gate_up, activation, w.down), w.down_bias), w.feed_forward_out_norm);
}

at::Tensor Decoder::active_neurons(int layer, const at::Tensor& x, const at::Tensor& entering,
                                   const AdapterDropout& dropout) const {
  return activated(gate_up(layer, x, entering, dropout));
}

at::Tensor Decoder::feed_forward_out(int layer, const at::Tensor& neurons, const AdapterDropout& dropout) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const at::Tensor out = linear(layer, neurons, WeightSlot::Down, dropout);
  return added(with_bias(out, w.down_bias), w.feed_forward_out_norm);
}

Decoder::Neurons Decoder::neurons(int layer, const at::Tensor& x, const at::Tensor& entering,
                                  const at::Tensor& direction) const {
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(layer)];
  const at::Tensor active = active_neurons(layer, x, entering, {});
  at::Tensor along = direction * config.residual_scale;
  if (w.feed_forward_out_norm.defined()) {
    const at::Tensor whole = with_bias(linear(layer, active, WeightSlot::Down, {}), w.down_bias);
    along = along * norm_factors(w.feed_forward_out_norm, whole);
  }
  const at::Tensor activations = active[0].to(at::kDouble);
  return {activations, activations * columns_along(layer, WeightSlot::Down, along)};
}

at::Tensor Decoder::columns_along(int layer, WeightSlot matrix, const at::Tensor& direction) const {
  const auto l = static_cast<std::size_t>(layer);
  const at::Tensor& weight = weights.layers[l].slot(matrix);
  const at::ScalarType type = options().dtype() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor rows =
      ops::is_packed(weight) ? ops::unpack_weight_rows(weight, 0, direction.size(0), type) : weight.to(type);
  at::Tensor along = at::mv(rows.t(), direction.to(type)).to(at::kDouble);
  if (adapter.empty()) return along;
  for (const LowRankUpdate& update : adapter.layers[l].slot(matrix)) {
    const at::Tensor part = direction.narrow(0, update.first_row, update.rows).to(update.b.scalar_type());
    along = along + at::mv(update.a.t(), at::mv(update.b.t(), part)).to(at::kDouble) * adapter.scale;
  }
  return along;
}

at::Tensor Decoder::finish(const at::Tensor& x) const {
  const at::Tensor hidden = normed(x, {weights.final_norm, weights.final_norm_bias});
  return config.logit_divisor == 1 ? hidden : hidden / config.logit_divisor;
}

at::Tensor Decoder::logit_direction(const at::Tensor& row) const {
  const at::Tensor gains = (weights.final_norm.to(at::kDouble) + family().norm_offset) / config.logit_divisor;
  const at::Tensor direction = gains * row;
  return family().layer_norms ? direction - direction.mean() : direction;  // a LayerNorm centres the state
}

double Decoder::final_scale(const at::Tensor& hidden) const {
  const at::Tensor x = hidden.to(at::kDouble), centred = family().layer_norms ? x - x.mean() : x;
  return 1 / std::sqrt(centred.square().mean().item<double>() + config.norm_epsilon);
}

double Decoder::final_bias(const at::Tensor& row) const {
  if (!weights.final_norm_bias.defined()) return 0;
  return row.dot(weights.final_norm_bias.to(at::kDouble)).item<double>() / config.logit_divisor;
}

at::Tensor Decoder::head_row(std::int64_t token) const {
  if (!ops::is_packed(weights.head)) return weights.head[token];
  return ops::unpack_weight_rows(weights.head, token, 1, weights.final_norm.scalar_type())[0];
}

at::Tensor Decoder::logits(const at::Tensor& hidden) const {
  return ops::soft_capped(ops::linear(hidden, weights.head), config.logit_cap);
}

at::Tensor Decoder::logits(const at::Tensor& hidden, std::int64_t first, std::int64_t count) const {
  const std::int64_t together = ops::is_packed(weights.head) ? ops::kPackedRows : 1;
  CARRYOVER_CHECK(first % together == 0 && count % together == 0);
  const at::Tensor rows = weights.head.narrow(0, first / together, count / together);
  return ops::soft_capped(ops::linear(hidden, rows), config.logit_cap);
}

}  // namespace carryover
