// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/decoder/adapter.h"
#include "engine/decoder/weights.h"
#include "engine/families/family.h"
#include "engine/ops/elementwise.h"

namespace carryover {

/// A decoder of a known family without its attention, which the policy defines. Owner: Session. Thread: engine.
struct Decoder {
  ModelConfig config;
  Weights weights;
  Adapter adapter;  ///< not merged while it is trained

  at::TensorOptions options() const { return weights.final_norm.options(); }

  at::Tensor embed(const at::Tensor& ids) const;  ///< [m] int64 → [m, D]

  /// Unrotated queries [H, m, d], and keys and values [H_kv, m, d]. They are views of `all`.
  struct Projections {
    at::Tensor queries, keys, values;
    at::Tensor all;  ///< [m, H + 2·H_kv, d]: queries, keys and values side by side
  };
  static Projections side_by_side(const at::Tensor& all, std::int64_t heads);                ///< views of `all`
  Projections project(int layer, const at::Tensor& x, const AdapterDropout& dropout) const;  ///< x: [m, D], before the
                                                                                             ///< norm

  /// Returns the gates by which a layer's heads weigh their branches (policy nsa): [H, 3, m]. x is as for project().
  at::Tensor branch_gates(int layer, const at::Tensor& x) const;

  /// Adds the output projection of the heads' outputs to x. heads: [m, H·d], side by side. reuses_x: ops::add_linear().
  at::Tensor add_attention(int layer, const at::Tensor& x, const at::Tensor& heads, const AdapterDropout& dropout,
                           bool reuses_x = false) const;
  /// Returns what add_attention() adds to x, [m, D].
  at::Tensor attention_out(int layer, const at::Tensor& heads, const AdapterDropout& dropout) const;
  /// Returns what parts of a token's heads' outputs add to the residual stream, [n, D], linear in the parts, so without
  /// the projection's bias. parts: [n, H·d]; together they are the outputs, which is what a norm of the result depends
  /// on.
  at::Tensor written_by(int layer, const at::Tensor& parts) const;
  /// Adds the feed-forward's output to x. `entering`: x before the layer's attention, which parallel blocks read.
  at::Tensor add_feed_forward(int layer, const at::Tensor& x, const at::Tensor& entering, const AdapterDropout& dropout,
                              bool reuses_x = false) const;
  /// Returns what the down-projection reads, [m, I]. x and `entering`: as for add_feed_forward().
  at::Tensor active_neurons(int layer, const at::Tensor& x, const at::Tensor& entering,
                            const AdapterDropout& dropout) const;
  /// Returns what add_feed_forward() adds to x, [m, D], given the neurons.
  at::Tensor feed_forward_out(int layer, const at::Tensor& neurons, const AdapterDropout& dropout) const;
  /// The neurons of a layer for one token: their activations, which the down-projection reads, and how much each adds
  /// to the residual stream along a direction, without the projection's bias. [I] fp64 each.
  struct Neurons {
    at::Tensor activations, along;
  };
  /// x and `entering`: as for add_feed_forward(), of one token: [1, D]. direction: [D] fp64.
  Neurons neurons(int layer, const at::Tensor& x, const at::Tensor& entering, const at::Tensor& direction) const;
  at::Tensor finish(const at::Tensor& x) const;       ///< final norm and the divisor of logits, [m, D]
  at::Tensor logits(const at::Tensor& hidden) const;  ///< [n, D] → [n, V], soft-capped where the model's are
  /// Returns those of tokens first..first+count−1, both multiples of 16 if weights are packed: [n, count].
  at::Tensor logits(const at::Tensor& hidden, std::int64_t first, std::int64_t count) const;
  /// Returns what a hidden state's dot product with is its logit of a token, [D] fp64, before the final norm divides by
  /// the state's size (final_scale()) and adds its own bias. row: [D] fp64, of the head, or a difference of two.
  at::Tensor logit_direction(const at::Tensor& row) const;
  double final_bias(const at::Tensor& row) const;      ///< what the final norm's own bias adds to that logit
  double final_scale(const at::Tensor& hidden) const;  ///< what the final norm multiplies by, beside its gains; [D]
  at::Tensor head_row(std::int64_t token) const;  ///< [D]; its dot product with a hidden state is the token's logit

 private:
  at::Tensor pair_rotated(const at::Tensor& heads) const;
  at::Tensor prepare_heads(const LayerWeights& layer, const at::Tensor& all) const;
  at::Tensor linear(int layer, const at::Tensor& x, WeightSlot matrix, const AdapterDropout& dropout) const;
  /// The gains and the bias of a norm; both undefined: there is no norm. Without a bias it is an RMS norm.
  struct NormWeights {
    const at::Tensor &gains, &bias;
  };
  at::Tensor norm_linear(int layer, const at::Tensor& x, const NormWeights& norm, WeightSlot matrix,
                         const AdapterDropout& dropout) const;
  at::Tensor normed(const at::Tensor& x, const NormWeights& norm) const;
  /// Returns what an RMS norm multiplies each value of one row by: [D] fp64.
  at::Tensor norm_factors(const at::Tensor& gains, const at::Tensor& row) const;
  at::Tensor gate_up(int layer, const at::Tensor& x, const at::Tensor& entering, const AdapterDropout& dropout) const;
  /// Returns the dot products of a matrix's columns with a direction, [out] fp64: [in] fp64.
  at::Tensor columns_along(int layer, WeightSlot matrix, const at::Tensor& direction) const;
  at::Tensor activated(const at::Tensor& gate_up) const;  ///< what the down-projection reads
  /// Returns what a block that wrote this adds to the residual stream; it is normed where there are gains.
  at::Tensor added(const at::Tensor& written, const at::Tensor& gains) const;
  const Family& family() const { return family_of(config); }
  ops::NormGains norm(const at::Tensor& weight) const { return {weight, config.norm_epsilon, family().norm_offset}; }
};

}  // namespace carryover
