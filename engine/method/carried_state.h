// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/core/config/segment_config.h"
#include "engine/core/run/snapshot.h"

namespace carryover {

/// One layer of C_i: of the KV heads of carry_kv_heads(), those that a reader of the carry uses.
struct LayerCarry {
  at::Tensor keys;    ///< [H_carry_kv, M_i, d], unrotated; undefined for C_0 and for layers where nobody reads it
  at::Tensor values;  ///< [H_carry_kv, M_i, d]
};

/// The text's first tokens in one layer, which lead the prefix of every later segment (ADR 0019). Detached, unrotated;
/// undefined where there are none.
struct LayerSinks {
  at::Tensor keys, values;  ///< [H_kv, n, d]
};

/// C_i: the only differentiable state between segments (eq:forward). 0 ≤ M_i ≤ M; M_0 = 0. Keys are unrotated; their
/// positions apply on use (app:rope). Owner: a policy's state. Thread: engine.
struct CarriedState {
  std::vector<LayerCarry> layers;  ///< [L]

  std::int64_t length() const;  ///< M_i
  /// The same without tokens before `first` of a segment of m tokens: what sinks hold is not carried too.
  CarriedState without_tokens_before(std::int64_t first, std::int64_t m) const;
  std::int64_t bytes() const;
  std::vector<at::Tensor*> tensors();  ///< those that are defined
  CarriedState detached() const;
};

/// Appends what is defined of two.
void add_defined(std::vector<at::Tensor*>& to, at::Tensor& keys, at::Tensor& values);

/// The last M keys and values of the KV heads of carry_kv_heads(), copied, so that the rest can be freed.
/// keys, values: [H_kv, n, d] unrotated.
LayerCarry carry_tail(const SegmentConfig& config, const ModelConfig& model, int layer, const at::Tensor& keys,
                      const at::Tensor& values);

/// The first `sink_length` keys and values of a layer, copied. keys, values: [H_kv, n, d] unrotated.
LayerSinks first_tokens(const SegmentConfig& config, const at::Tensor& keys, const at::Tensor& values);

/// [L, M_i] maps of a state for the window: mean over KV heads of ‖k‖, ‖v‖, and the drift ‖k − k'‖/‖k'‖ from `previous`
/// (empty where the lengths differ).
struct CarryMaps {
  Map key_norm, value_norm, drift;
};
CarryMaps carry_maps(const CarriedState& state, const CarriedState& previous);

}  // namespace carryover
