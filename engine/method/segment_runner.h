// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>

#include "engine/method/forward_map.h"

namespace carryover {

/// The recurrence (sec:consistency): opens segments, runs F_θ, closes segments and commits them. Owner: a run. Thread:
/// engine.
class SegmentRunner {
 public:
  SegmentRunner(ForwardContext forward, const SegmentConfig& config);

  /// Continues from `state`, which must be a state of this policy, instead of from a new one.
  void resume(std::unique_ptr<PolicyState> state);
  std::unique_ptr<PolicyState> take_state() { return std::move(state_); }  ///< ends this runner

  const PolicyState& state() const { return *state_; }
  /// Replaces the carry by leaves with the same values, so that gradients end here; for training
  /// (training/truncated_backprop.h).
  void replace_carry(CarriedState carry) { state_->carry = std::move(carry); }
  std::int64_t open_length() const { return open_ ? open_->length() : 0; }
  std::int64_t attention_kv_bytes() const { return attention_kv_bytes_; }

  /// Runs a whole segment in one chunk and closes it. ids: [m], m ≤ S; no segment may be open. Returns the hidden
  /// states [m, D].
  at::Tensor run_segment(const at::Tensor& ids);

  /// Runs a segment in the same way but leaves the state as it was. For looking at a segment again.
  at::Tensor peek_segment(const at::Tensor& ids);

  /// Runs the rows that follow the open segment's tokens from a layer on, and leaves the segment as it was. Opens a
  /// segment if there is none. `input.x` is not overwritten. For many changes of one segment, which share what comes
  /// before the change.
  at::Tensor peek(LayerInput input);

  /// Runs ids [m], m ≤ S, as a draft of the next segment: its queries search, and the hits replace what was retrieved.
  /// The draft changes nothing else. No segment may be open.
  void draft(const at::Tensor& ids);
  /// Returns what such a draft would search with: [L], as AttentionPolicy::search() takes it. Changes nothing.
  std::vector<LayerTrace> draft_traces(const at::Tensor& ids);
  void forget_retrieved() { forward_.policy.forget_retrieved(*state_); }      ///< while no segment is open
  void end_prompt() { forward_.policy.end_prompt(*state_, forward_.ropes); }  ///< while no segment is open

  /// Runs the next chunk of the open segment, and opens a segment if there is none. The segment may not exceed S
  /// tokens. Does not close it.
  at::Tensor extend(const at::Tensor& ids);

  /// Closes the open segment: the carry, the append to the pool and the retrieval happen now, once.
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
