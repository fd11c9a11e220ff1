// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Of [prefix; segment], what a query sees of the keys up to its own.
struct AttentionWindow {
  std::int64_t length = 0;  ///< the last keys, its own included; 0: all
  std::int64_t sinks = 0;   ///< and the first of all
  at::Tensor sink_queries;  ///< [G, r, m, d]: rotated for the sinks, where they keep their distance; undefined: as all

  bool sees_all() const { return length == 0; }
};

/// What a head group attends to (eq:attn, eq:ctx): every query sees the whole prefix and its segment up to itself, or a
/// window of both.
struct PrefixAttention {
  at::Tensor queries;        ///< [G, r, m, d], rotated
  at::Tensor prefix_keys;    ///< [G, r or 1, P, d], rotated; undefined where P = 0
  at::Tensor prefix_values;  ///< [G, r or 1, P, d]
  at::Tensor keys;           ///< [G, r or 1, n, d], rotated; the last m belong to the queries, n ≥ m
  at::Tensor values;         ///< [G, r or 1, n, d]
  AttentionWindow window = {};
};

/// softmax(q·kᵀ/√d)·v over [prefix; segment], [G, r, m, d]. On a CPU no mask is built and no masked block computed: one
/// pass goes over the prefix, the part before the chunk and the causal square, forward and backward (ADR 0018); on a
/// GPU LibTorch's FlashAttention takes both where it can. One KV head serves r query heads by a stride of 0, without a
/// copy. Differentiable in all tensors. With a window, gradients and GPUs go by masked_attention().
at::Tensor prefix_attention(const PrefixAttention& attention);

/// The same by its definition, with a mask of m × (P + n): the reference. Any device.
at::Tensor masked_attention(const PrefixAttention& attention);

/// Which of [prefix; segment] each of m queries sees: [m, P + n] bool, on `device`.
at::Tensor visible_keys(const AttentionWindow& window, std::int64_t m, std::int64_t keys, c10::Device device);

}  // namespace carryover::ops
