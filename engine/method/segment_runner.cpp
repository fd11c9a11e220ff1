// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/segment_runner.h"

#include "engine/base/error.h"

namespace carryover {

SegmentRunner::SegmentRunner(ForwardContext forward, const SegmentConfig& config)
    : forward_(std::move(forward)), config_(config), state_(forward_.policy.init_state()) {}

void SegmentRunner::resume(std::unique_ptr<PolicyState> state) {
  CARRYOVER_CHECK(!open_);
  state_ = std::move(state);
}

void SegmentRunner::open(bool whole) {
  CARRYOVER_CHECK(!open_);
  open_.emplace(state_->next, forward_.decoder.config.layers, whole, config_.segment_length, config_.query_length);
}

at::Tensor SegmentRunner::run(const at::Tensor& ids) {
  CARRYOVER_CHECK(ids.size(0) > 0 && open_->length() + ids.size(0) <= config_.segment_length);
  const at::Tensor hidden = forward_map(forward_, *state_, *open_, ids);
  attention_kv_bytes_ = open_->attention_kv_bytes();
  return hidden;
}

at::Tensor SegmentRunner::run_segment(const at::Tensor& ids) {
  open(true);
  const at::Tensor hidden = run(ids);
  close();
  return hidden;
}

at::Tensor SegmentRunner::peek_segment(const at::Tensor& ids) {
  open(true);
  const at::Tensor hidden = run(ids);
  open_.reset();
  return hidden;
}

at::Tensor SegmentRunner::peek(LayerInput input) {
  if (!open_) open(false);
  CARRYOVER_CHECK(open_->length() + input.x.size(0) <= config_.segment_length);
  OpenSegment::Mark before = open_->mark();
  input.x = input.x.clone();
  const at::Tensor hidden = forward_map(forward_, *state_, *open_, std::move(input));
  open_->rewind(std::move(before));
  return hidden;
}

std::vector<LayerTrace> SegmentRunner::draft_traces(const at::Tensor& ids) {
  open(true);
  run(ids);
  auto traces = open_->close(forward_);
  open_.reset();
  return traces;
}

void SegmentRunner::draft(const at::Tensor& ids) {
  const std::vector<LayerTrace> traces = draft_traces(ids);
  forward_.spend(&SegmentTime::retrieval);
  forward_.policy.search(*state_, traces);
  forward_.spend(&SegmentTime::host);
}

at::Tensor SegmentRunner::extend(const at::Tensor& ids) {
  if (!open_) open(false);
  return run(ids);
}

void SegmentRunner::close() {
  CARRYOVER_CHECK(open_.has_value());
  forward_.spend(&SegmentTime::retrieval);
  const std::int64_t length = open_->length();
  auto traces = open_->close(forward_);
  open_.reset();
  close_windows(state_->carry, traces, forward_.decoder.config);
  forward_.policy.commit(*state_, std::move(traces), length);
  forward_.spend(&SegmentTime::host);
}

}  // namespace carryover
