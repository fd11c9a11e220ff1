// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/core/base/key_index.h"

namespace carryover::ops {

/// Of [prefix; segment], what a query sees of the keys up to its own.
struct AttentionWindow {
  std::int64_t length = 0;  ///< the last keys, its own included; 0: all
  std::int64_t sinks = 0;   ///< and the first of all
  at::Tensor sink_queries;  ///< [G, r, m, d]: rotated for the sinks, where they keep their distance; undefined: as all
  /// Right behind the sinks, copies of the first `far` keys behind these copies, for sink_queries: a query sees a copy
  /// where the key itself is out of its window. All of them are in the prefix.
  std::int64_t far = 0;

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
  const KeyIndex* index = nullptr;  ///< queries see what it lists alone, and `window` doesn't count; null: no index
};

/// softmax(q·kᵀ/√d)·v over [prefix; segment], [G, r, m, d]. On a CPU no mask is built and no masked block computed: one
/// pass goes over the prefix, the part before the chunk and the causal square, forward and backward (ADR 0018); on a
/// GPU LibTorch's FlashAttention takes both where it can. One KV head serves r query heads by a stride of 0, without a
/// copy. Differentiable in all tensors. With a window or an index, GPUs go by attend_by_lists(), and by
/// masked_attention() where gradients are needed; a CPU's gradients go by masked_attention() with a window, and by
/// listed_backward() with an index. Zeros for a query that sees no key.
at::Tensor prefix_attention(const PrefixAttention& attention);

/// The same by its definition, with a mask of m × (P + n): the reference. Any device.
at::Tensor masked_attention(const PrefixAttention& attention);

/// Attention in a window, and the sum over queries of what each key gets that is no sink and no copy: [G, r, P + n −
/// sinks − far], in opmath. On a CPU these keys' scores are computed twice, and no weights of all keys are held.
struct WeighedAttention {
  at::Tensor out, received;
};
WeighedAttention weighed_attention(const PrefixAttention& attention);

/// Which of [prefix; segment] each of m queries sees: [m, P + n] bool, on `device`.
at::Tensor visible_keys(const AttentionWindow& window, std::int64_t m, std::int64_t keys, c10::Device device);
/// The same of one row of an index, for queries [first, first + count): [count, P + n].
at::Tensor listed_keys(const KeyIndex& index, std::int64_t row, std::int64_t first, std::int64_t count,
                       std::int64_t keys, c10::Device device);

}  // namespace carryover::ops
