// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/snapshot.h"

namespace carryover {

/// One layer of C_i. Of the KV heads of carry_kv_heads(), it holds those that a reader of the carry uses.
struct LayerCarry {
  at::Tensor keys;    ///< [H_carry_kv, M_i, d], unrotated; undefined in C_0 and in layers where no head reads it
  at::Tensor values;  ///< [H_carry_kv, M_i, d]
};

/// The text's first tokens in one layer, which are the first part of the prefix of every later segment (ADR 0019).
/// Detached, unrotated; undefined if there are none.
struct LayerSinks {
  at::Tensor keys, values;  ///< [H_kv, n, d]
};

/// C_i, the only differentiable state between segments (eq:forward). 0 ≤ M_i ≤ M; M_0 = 0. Keys are unrotated; RoPE is
/// applied when they are read (app:rope). Owner: a policy's state. Thread: engine.
struct CarriedState {
  std::vector<LayerCarry> layers;        ///< [L], as the policy carries them
  std::vector<LayerCarry> windows = {};  ///< [L], the last W − 1 tokens in windowed layers (method/window_layers.h);
                                         ///< empty before the first segment is closed, or if no layer is windowed

  std::int64_t length() const;  ///< M_i, without the windows
  /// Returns the state without tokens before `first` of a segment of m tokens, so that tokens which sinks hold are not
  /// carried too. Windows stay.
  CarriedState without_tokens_before(std::int64_t first, std::int64_t m) const;
  std::int64_t bytes() const;
  std::vector<at::Tensor*> tensors();  ///< the defined ones
  CarriedState detached() const;
};

/// Appends to `to` those of the two tensors that are defined.
void add_defined(std::vector<at::Tensor*>& to, at::Tensor& keys, at::Tensor& values);

/// Returns a copy of the last M keys and values of the KV heads of carry_kv_heads(), so that the rest can be freed.
/// keys, values: [H_kv, n, d], unrotated.
LayerCarry carry_tail(const SegmentConfig& config, const ModelConfig& model, int layer, const at::Tensor& keys,
                      const at::Tensor& values);

/// Returns a copy of the first `sink_length` keys and values of a layer. keys, values: [H_kv, n, d], unrotated.
LayerSinks first_tokens(const SegmentConfig& config, const at::Tensor& keys, const at::Tensor& values);

/// [L, slots] maps of what a state carries, windows too: means over KV heads of ‖k‖ and ‖v‖, and the drift
/// ‖k − k'‖/‖k'‖ from `previous` in layers that carried as many tokens there. The last column is the last token; NaN
/// where a layer carries less than another. No columns if no layer has values.
struct CarryMaps {
  Map key_norm, value_norm, drift;
};
CarryMaps carry_maps(const CarriedState& state, const CarriedState& previous);

}  // namespace carryover
