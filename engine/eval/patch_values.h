// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>

#include "engine/core/run/replay_request.h"
#include "engine/eval/replay.h"

namespace carryover {

/// What patches take from one segment of another run: what was carried into it, and what heads put out in it. The run
/// is replayed to the segment through the same forward, so that its values are those that it had. Thread: engine.
class PatchValues {
 public:
  /// Of all heads that `request.edits` name. Throws EngineError{BadInput} where the segments do not correspond, or
  /// where the replay does not repeat the other run's record. Borrows what it is given, for this call alone.
  PatchValues(const Decoder& decoder, const WhatIfRequest& request, RunControl& control, StateArchive& archive);

  const CarriedState& carry() const { return carry_; }
  std::int64_t segments_run() const { return segments_run_; }
  /// A layer's outputs, [m, H·d] side by side, with those of `heads` that are in the layer replaced.
  at::Tensor patched(int layer, const at::Tensor& outputs, const std::vector<HeadRef>& heads) const;

 private:
  at::Tensor part_of(const at::Tensor& outputs, int head) const {
    return outputs.narrow(1, head * head_dim_, head_dim_);
  }

  std::int64_t head_dim_, segments_run_ = 0;
  CarriedState carry_;
  std::map<HeadRef, at::Tensor> outputs_;  ///< [m, d]
};

}  // namespace carryover
