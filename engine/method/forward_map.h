// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "engine/method/open_segment.h"
#include "engine/model/decoder.h"
#include "engine/runtime/time_meter.h"

namespace carryover {

/// What one layer's attention worked on, for whoever looks on.
struct AttentionSight {
  int layer;
  const std::vector<HeadGroup>& groups;
  const at::Tensor& queries;   ///< [H, m, d], rotated
  const LayerKv& kv;           ///< of the segment so far
  const at::Tensor& entering;  ///< [m, D], the residual stream before the layer
  /// [H, m, d], rotated as the sinks are read (HeadWindow::furthest); undefined: as `queries`.
  const at::Tensor& sink_queries;
};

/// And what became of it.
struct LayerSight : AttentionSight {
  const at::Tensor& attended;  ///< [m, D], the residual stream after the layer's attention
  const at::Tensor& leaving;   ///< [m, D], after its feed-forward
};

/// What F_θ needs beside its arguments. Borrowed; thread: engine.
struct ForwardContext {
  const Decoder& decoder;
  const AttentionPolicy& policy;
  Rope& rope;
  std::function<void(int layer)> after_layer;  ///< progress and cancellation; may throw EngineError{Cancelled}
  bool checkpointing = false;  ///< with gradients: keep a layer's inputs only, and run it again in backward
  AdapterDropout dropout;      ///< training: `segment` is filled in here
  std::function<void(const LayerSight&)> watch = {};  ///< called after each layer; changes nothing
  TimeMeter* time = nullptr;                          ///< told what is worked on
  /// Called after each layer's attention, before its feed-forward, which then doesn't pay for the memory of what is
  /// seen here. Changes nothing.
  std::function<void(const AttentionSight&)> watch_attention = {};
  /// Called with what a layer's heads put out, [m, H·d] side by side, before the output projection; what it gives back
  /// takes its place. For activation patching.
  std::function<at::Tensor(int layer, const at::Tensor& outputs)> replace_outputs = {};

  void spend(double SegmentTime::*part) const {
    if (time != nullptr) time->spend(part);
  }
};

/// F_θ(x, C, R) (eq:forward): the only forward there is. Training, evaluation, decoding and what-if all call it.
/// ids: [m] int64, the next tokens of `open`; `state` holds C and R. Returns the final-norm hidden states [m, D] and
/// leaves the layers' traces in `open`. Differentiable in θ and C where gradients are on and the segment is whole.
at::Tensor forward_map(const ForwardContext& context, const PolicyState& state, OpenSegment& open,
                       const at::Tensor& ids);

}  // namespace carryover
