// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "engine/decoder/decoder.h"
#include "engine/method/open_segment.h"
#include "engine/method/window_layers.h"
#include "engine/runtime/time_meter.h"

namespace carryover {

/// The tensors that the attention of one layer worked on; given to observers.
struct AttentionSight {
  int layer;
  const std::vector<HeadGroup>& groups;
  const at::Tensor& queries;   ///< [H, m, d], rotated
  const LayerKv& kv;           ///< rows of the segment so far
  const at::Tensor& entering;  ///< [m, D], the residual stream before the layer
  /// [H, m, d], the queries rotated for the sinks (HeadWindow::furthest); undefined: the sinks are read with `queries`.
  const at::Tensor& sink_queries;
  double score_cap;  ///< ModelConfig::score_cap
};

/// The same with the layer's results.
struct LayerSight : AttentionSight {
  const at::Tensor& attended;  ///< [m, D], the residual stream after the layer's attention
  const at::Tensor& leaving;   ///< [m, D], the residual stream after the layer's feed-forward
};

/// Everything that F_θ needs besides its arguments. All of it is borrowed. Thread: engine.
struct ForwardContext {
  const Decoder& decoder;
  const AttentionPolicy& policy;
  Ropes& ropes;
  std::function<void(int layer)> after_layer;  ///< progress and cancellation; may throw EngineError{Cancelled}
  bool checkpointing = false;  ///< with gradients: keep only a layer's inputs, and run the layer again in backward
  AdapterDropout dropout;      ///< for training; `segment` is filled in by the forward map
  std::function<void(const LayerSight&)> watch = {};  ///< called after each layer; changes nothing
  TimeMeter* time = nullptr;                          ///< null, or a meter that is told which part is being worked on
  /// Called after each layer's attention and before its feed-forward, which then does not need memory for what is shown
  /// here. Changes nothing.
  std::function<void(const AttentionSight&)> watch_attention = {};
  /// Called with the outputs of a layer's heads, [m, H·d] side by side, before the output projection. Its result
  /// replaces them. For activation patching.
  std::function<at::Tensor(int layer, const at::Tensor& outputs)> replace_outputs = {};
  const WindowLayers windows{decoder.config, policy};

  /// Returns how a layer attends: by the model's own window, or as the policy says.
  const LayerAttention& attention_of(int layer) const {
    if (decoder.config.is_windowed(layer)) return windows;
    return policy;
  }
  void spend(double SegmentTime::*part) const {
    if (time != nullptr) time->spend(part);
  }
};

/// F_θ(x, C, R) (eq:forward): the only forward pass. Training, evaluation, decoding and what-if all call it. ids: [m]
/// int64, the next tokens of `open`; `state` holds C and R. Returns the hidden states after the final norm, [m, D], and
/// leaves the layers' traces in `open`. Differentiable in θ and C if gradients are on and the segment is whole.
at::Tensor forward_map(const ForwardContext& context, const PolicyState& state, OpenSegment& open,
                       const at::Tensor& ids);

}  // namespace carryover
