// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include "engine/decoder/decoder.h"
#include "engine/method/open_segment.h"
#include "engine/method/window_layers.h"
#include "engine/runs/values/forward_point.h"
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

/// Replaces values of the forward pass while it runs, for activation patching.
struct ForwardHook {
  std::vector<ForwardPoint> points = {};  ///< the points at which `replace` is called, in every layer
  /// Returns what replaces the values of a point, or the values themselves, which it may not change.
  std::function<at::Tensor(ForwardPoint point, int layer, const at::Tensor& values)> replace = {};

  bool at(ForwardPoint point) const { return std::ranges::find(points, point) != points.end(); }
  at::Tensor operator()(ForwardPoint point, int layer, const at::Tensor& values) const {
    return at(point) ? replace(point, layer, values) : values;
  }
};

/// Rows of the residual stream that enter a layer; from there the forward pass goes on.
struct LayerInput {
  int layer = 0;
  at::Tensor x;  ///< [m, D]; the forward pass may overwrite it
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
  ForwardHook hook = {};
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
/// The same F_θ from a layer on, which is what forward_map() calls with the embeddings. Earlier layers get no keys and
/// values of these tokens.
at::Tensor forward_map(const ForwardContext& context, const PolicyState& state, OpenSegment& open, LayerInput input);

}  // namespace carryover
