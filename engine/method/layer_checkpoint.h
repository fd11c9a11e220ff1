// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/method/forward_map.h"

namespace carryover {

/// The arguments of one layer of F_θ over a chunk: everything but the residual stream and the prefixes that it reads.
struct LayerCall {
  const ForwardContext& context;
  const PolicyState& state;
  SegmentFrame frame;
  int layer;
  RopeAngles angles;
  std::int64_t first_position;  ///< position of the first angle
  AdapterDropout dropout;
  OpenSegment* open;      ///< set if chunks may follow; null: the segment is whole
  bool reuses_x = false;  ///< true if nobody needs the layer's input any more: ops::add_linear()

  const LayerAttention& attention() const { return context.attention_of(layer); }
  Rope& rope() const { return context.ropes.of(layer); }
  LayerCall with_state(const PolicyState& other) const {
    return {context, other, frame, layer, angles, first_position, dropout, open, reuses_x};
  }
};

struct LayerResult {
  at::Tensor x;                         ///< [m, D], the input of the next layer
  LayerTrace trace;                     ///< set if the segment is whole
  std::int64_t attention_kv_bytes = 0;  ///< bytes of keys and values that the chunk's last token sees
};

/// Runs a layer. x: [m, D]; `context`: the policy's head groups for this layer. Defined in forward_map.cpp.
LayerResult run_layer(const LayerCall& call, const at::Tensor& x, const std::vector<HeadGroup>& context);

/// Returns the same values as run_layer(), but autograd keeps only x, the prefixes and the context's gates, and runs
/// the layer again in each backward pass. Retrieval is not repeated: the contents of the prefixes are kept, and nothing
/// is appended twice. `call.context` must live as long as the graph. `kept`: the state that a policy selects from in
/// the second run, when the segment is closed already; null if the policy selects nothing.
LayerResult run_layer_checkpointed(const LayerCall& call, const std::shared_ptr<const PolicyState>& kept,
                                   const at::Tensor& x, const std::vector<HeadGroup>& groups);

}  // namespace carryover
