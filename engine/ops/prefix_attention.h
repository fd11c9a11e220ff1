// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/base/key_index.h"

namespace carryover::ops {

/// The rule for which keys of [prefix; segment], up to its own, a query sees.
struct AttentionWindow {
  std::int64_t length = 0;       ///< number of last keys, its own included; 0: all
  std::int64_t sinks = 0;        ///< number of first keys that it sees too
  at::Tensor sink_queries = {};  ///< [G, r, m, d], rotated for sinks that keep their distance; undefined: sinks are
                                 ///< read with `queries`
  /// Number of copies right behind the sinks, which are read with sink_queries. They copy the first keys behind these
  /// copies; a query sees a copy if the key itself is out of its window. All of them are in the prefix.
  std::int64_t far = 0;

  bool sees_all() const { return length == 0; }
};

/// The operands of a head group's attention (eq:attn, eq:ctx): every query sees the whole prefix and its segment up to
/// itself, or a window of both.
struct PrefixAttention {
  at::Tensor queries;        ///< [G, r, m, d], rotated
  at::Tensor prefix_keys;    ///< [G, r or 1, P, d], rotated; undefined where P = 0
  at::Tensor prefix_values;  ///< [G, r or 1, P, d]
  at::Tensor keys;           ///< [G, r or 1, n, d], rotated; the last m belong to the queries, n ≥ m
  at::Tensor values;         ///< [G, r or 1, n, d]
  AttentionWindow window = {};
  const KeyIndex* index = nullptr;  ///< queries see only what it lists, and `window` is ignored; null: no index
  double score_cap = 0;             ///< ModelConfig::score_cap
};

/// Returns softmax(q·kᵀ/√d)·v over [prefix; segment], [G, r, m, d]. On a CPU no mask is built and no masked block is
/// computed: one pass goes over the prefix, the part before the chunk and the causal square, forward and backward (ADR
/// 0018). On a GPU, LibTorch's FlashAttention takes both if it can. One KV head serves r query heads by a stride of 0,
/// without a copy. Differentiable in all tensors. With a window or an index, a GPU uses attend_by_lists(), or
/// masked_attention() if gradients are needed; for gradients, a CPU uses masked_attention() with sinks or copies and
/// listed_backward() with an index. A query that sees no key gets zeros. For soft-capped scores,
/// a GPU without attend_by_lists() uses masked_attention(), some queries at a time, and a CPU computes in opmath.
at::Tensor prefix_attention(const PrefixAttention& attention);

/// Returns the same by its definition, with a mask of m × (P + n): the reference. Any device.
at::Tensor masked_attention(const PrefixAttention& attention);

/// Attention in a window, and for each key that is no sink and no copy the attention that it gets, summed over queries:
/// [G, r, P + n − sinks − far], in opmath. On a CPU these keys' scores are computed twice, so that the weights of all
/// keys are never held at once.
struct WeighedAttention {
  at::Tensor out, received;
};
WeighedAttention weighed_attention(const PrefixAttention& attention);

/// Returns which keys of [prefix; segment] each of m queries sees: [m, P + n] bool, on `device`.
at::Tensor visible_keys(const AttentionWindow& window, std::int64_t m, std::int64_t keys, c10::Device device);
/// Returns the same for one row of an index and queries [first, first + count): [count, P + n].
at::Tensor listed_keys(const KeyIndex& index, std::int64_t row, std::int64_t first, std::int64_t count,
                       std::int64_t keys, c10::Device device);

}  // namespace carryover::ops
