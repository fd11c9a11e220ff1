// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/base/run_control.h"
#include "engine/method/segment_runner.h"
#include "engine/runs/state_archive.h"
#include "engine/runs/values/what_if.h"

namespace carryover {

/// A run that is brought back to the start of one of its segments, to run again from there through forward_map. Borrows
/// its arguments. Thread: engine.
class Replay {
 public:
  using Watch = decltype(ForwardContext::watch);

  /// Throws EngineError{BadInput} where the request can't be run or has no such segment.
  Replay(const Decoder& decoder, const RunRequest& request, std::int64_t segment, StateArchive& archive,
         RunControl& control);

  const Decoder& decoder() const { return decoder_; }
  const RunRequest& request() const { return request_; }
  const AttentionPolicy& policy() const { return *policy_; }
  std::int64_t segment() const { return segment_; }
  std::int64_t first_token(std::int64_t segment) const { return segment * request_.config.segment_length; }
  std::int64_t first_token() const { return first_token(segment_); }
  std::int64_t segments_run() const { return segments_run_; }

  /// Returns the id that a token of the segment, counted from the segment's start, predicts. Throws
  /// EngineError{BadInput} where it predicts none.
  std::int32_t target_of(std::int64_t token) const;

  /// Returns a new state for the start of a segment. Runs the segments that no state is kept of, and keeps theirs.
  std::unique_ptr<PolicyState> state_before(std::int64_t segment);

  /// Runs the segments from that of `state` up to `until` (exclusive) under a policy, which `state` must belong to.
  std::unique_ptr<PolicyState> advance(const AttentionPolicy& policy, std::unique_ptr<PolicyState> state,
                                       std::int64_t until, bool keep = false);

  /// Returns the hidden states, [m, D], of the segment that `state` stands before.
  at::Tensor look(const AttentionPolicy& policy, std::unique_ptr<PolicyState> state, Watch watch = {},
                  ForwardHook hook = {});

  /// Returns the losses of the segment whose hidden states look() returned.
  std::vector<float> losses(const at::Tensor& hidden, std::int64_t segment) const;

  at::Tensor ids(std::int64_t segment) const;  ///< [m]
  /// Returns what runs segments as this replay does. It borrows the policy and this.
  SegmentRunner runner(const AttentionPolicy& policy, Watch watch = {}, ForwardHook hook = {});

 private:
  const Decoder& decoder_;
  const RunRequest& request_;
  std::int64_t segment_, segments_run_ = 0;
  StateArchive& archive_;
  RunControl& control_;
  std::unique_ptr<AttentionPolicy> policy_;
  Ropes ropes_;
};

}  // namespace carryover
