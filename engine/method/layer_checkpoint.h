// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/method/forward_map.h"

namespace carryover {

/// One layer of F_θ over a chunk: everything but the residual stream and the prefixes that it reads.
struct LayerCall {
  const ForwardContext& context;
  const PolicyState& state;
  SegmentFrame frame;
  int layer;
  RopeAngles angles;
  std::int64_t first_position;  ///< of the angles
  AdapterDropout dropout;
  OpenSegment* open;      ///< where chunks may follow; null: the segment is whole
  bool reuses_x = false;  ///< nobody needs what the layer is given any more: ops::add_linear()

  LayerCall with_state(const PolicyState& other) const {
    return {context, other, frame, layer, angles, first_position, dropout, open, reuses_x};
  }
};

struct LayerResult {
  at::Tensor x;                         ///< [m, D], into the next layer
  LayerTrace trace;                     ///< of a whole segment
  std::int64_t attention_kv_bytes = 0;  ///< keys and values that its last token sees
};

/// x: [m, D]; context: the policy's for this layer. In forward_map.cpp.
LayerResult run_layer(const LayerCall& call, const at::Tensor& x, const std::vector<HeadGroup>& context);

/// The same values, but autograd keeps x, the prefixes and the context's gates alone and runs the layer again in each
/// backward pass. What was retrieved is frozen by that: the prefixes' contents are kept, not how to find them, and
/// nothing is appended twice. `call.context` must live as long as the graph. `kept` is what a policy selects from in
/// the second run, when the segment is closed; null where the policy selects nothing.
LayerResult run_layer_checkpointed(const LayerCall& call, const std::shared_ptr<const PolicyState>& kept,
                                   const at::Tensor& x, const std::vector<HeadGroup>& groups);

}  // namespace carryover
