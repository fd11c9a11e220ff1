// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// What a head group attends to (eq:attn, eq:ctx): every query sees the whole prefix and its segment up to itself.
struct PrefixAttention {
  at::Tensor queries;        ///< [G, r, m, d], rotated
  at::Tensor prefix_keys;    ///< [G, r or 1, P, d], rotated; undefined where P = 0
  at::Tensor prefix_values;  ///< [G, r or 1, P, d]
  at::Tensor keys;           ///< [G, r or 1, n, d], rotated; the last m belong to the queries, n ≥ m
  at::Tensor values;         ///< [G, r or 1, n, d]
};

/// softmax(q·kᵀ/√d)·v over [prefix; segment], [G, r, m, d]. On a CPU no mask is built and no masked block computed: one
/// pass goes over the prefix, the part before the chunk and the causal square, forward and backward (ADR 0018); on a
/// GPU LibTorch's FlashAttention takes both where it can. One KV head serves r query heads by a stride of 0, without a
/// copy. Differentiable in all five tensors.
at::Tensor prefix_attention(const PrefixAttention& attention);

}  // namespace carryover::ops
