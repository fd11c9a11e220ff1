// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>

#include "engine/inspection/replay.h"
#include "engine/runs/values/replay_request.h"

namespace carryover {

/// The values that patches take from one segment of another run: the carry into it, and outputs of heads in it. That
/// run is replayed to the segment through the same forward map, so that the values are those that it had. Thread:
/// engine.
class PatchValues {
 public:
  /// Replays the other run for the values of all heads that `request.edits` names. Throws EngineError{BadInput} where
  /// the segments do not correspond, or where the replay does not reproduce the other run's record. Borrows its
  /// arguments during this call only.
  PatchValues(const Decoder& decoder, const WhatIfRequest& request, RunControl& control, StateArchive& archive);

  const CarriedState& carry() const { return carry_; }
  std::int64_t segments_run() const { return segments_run_; }
  /// Returns a layer's outputs, [m, H·d], with those of `heads` that are in the layer replaced.
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
