// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>

#include "engine/method/forward_map.h"

namespace carryover {

/// The recurrence (sec:consistency): opens segments, runs F_θ, closes and commits. Owner: a run. Thread: engine.
class SegmentRunner {
 public:
  SegmentRunner(ForwardContext forward, const SegmentConfig& config);

  /// Continues from `state`, one of this policy's, instead.
  void resume(std::unique_ptr<PolicyState> state);
  std::unique_ptr<PolicyState> take_state() { return std::move(state_); }  ///< and ends this runner

  const PolicyState& state() const { return *state_; }
  /// Training: the carry as leaves, so that gradients end here (train/truncated_backprop.h). The values are the same.
  void replace_carry(CarriedState carry) { state_->carry = std::move(carry); }
  std::int64_t open_length() const { return open_ ? open_->length() : 0; }
  std::int64_t attention_kv_bytes() const { return attention_kv_bytes_; }

  /// A whole segment: ids [m], m ≤ S, while none is open. Runs it in one chunk and closes it. Returns hidden [m, D].
  at::Tensor run_segment(const at::Tensor& ids);

  /// The same, but nothing comes of it: the state stays as it was. For looking at a segment again.
  at::Tensor peek_segment(const at::Tensor& ids);

  /// Runs ids [m], m ≤ S, while no segment is open, as a draft of the segment that comes: its queries search, and what
  /// they find takes the place of what was retrieved. Nothing else comes of it.
  void draft(const at::Tensor& ids);
  /// What such a draft would search with: [L], as AttentionPolicy::search() takes it. Nothing comes of it.
  std::vector<LayerTrace> draft_traces(const at::Tensor& ids);
  void forget_retrieved() { forward_.policy.forget_retrieved(*state_); }     ///< while no segment is open
  void end_prompt() { forward_.policy.end_prompt(*state_, forward_.rope); }  ///< the same

  /// The next chunk of the open segment (opened where there is none), which may not pass S tokens. Does not close it.
  at::Tensor extend(const at::Tensor& ids);

  /// Closes the open segment: carry, pool append and retrieval happen now, once.
  void close();

 private:
  void open(bool whole);
  at::Tensor run(const at::Tensor& ids);

  ForwardContext forward_;
  SegmentConfig config_;
  std::unique_ptr<PolicyState> state_;
  std::optional<OpenSegment> open_;
  std::int64_t attention_kv_bytes_ = 0;
};

}  // namespace carryover
