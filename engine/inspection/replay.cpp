// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/replay.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/registry.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"

namespace carryover {

namespace {

/// Policy and rotations are made for the request's sizes, so it is checked before them.
const Decoder& checked(const Decoder& decoder, const RunRequest& request) {
  check_request(decoder, request);
  return decoder;
}

}  // namespace

Replay::Replay(const Decoder& decoder, const RunRequest& request, std::int64_t segment, StateArchive& archive,
               RunControl& control)
    : decoder_(checked(decoder, request)),
      request_(request),
      segment_(segment),
      archive_(archive),
      control_(control),
      policy_(make_policy(request.policy, {request.config, decoder.config, decoder.options(),
                                           static_cast<std::int64_t>(request.ids->size()), request.forced_hits})),
      ropes_(make_ropes(decoder, request.policy, request.config, std::ssize(*request.ids))) {
  const std::int64_t segments = (std::ssize(*request.ids) - 1) / request.config.segment_length + 1;
  if (segment < 0 || segment >= segments)
    throw EngineError(Fault::BadInput, "segment " + std::to_string(segment),
                      "is not there: the text has " + std::to_string(segments),
                      "Segments count from 0 to " + std::to_string(segments - 1) + ".");
}

std::int32_t Replay::target_of(std::int64_t token) const {
  const std::int64_t target = first_token() + token + 1;
  if (token < 0 || token >= request_.config.segment_length || target >= std::ssize(*request_.ids))
    throw EngineError(Fault::BadInput, "token " + std::to_string(token) + " of the segment", "has no target",
                      "Choose a token of the segment that another one follows.");
  return (*request_.ids)[static_cast<std::size_t>(target)];
}

at::Tensor Replay::ids(std::int64_t segment) const {
  const std::int64_t first = first_token(segment);
  const std::int64_t length = std::min(request_.config.segment_length, std::ssize(*request_.ids) - first);
  return ids_tensor(decoder_, part_of(*request_.ids, first, length));
}

SegmentRunner Replay::runner(const AttentionPolicy& policy, Watch watch, ForwardHook hook) {
  const auto after_layer = [this](int) { control_.checkpoint(); };
  ForwardContext forward{decoder_, policy, ropes_, after_layer, false, {}};
  forward.watch = std::move(watch);
  forward.hook = std::move(hook);
  return SegmentRunner(std::move(forward), request_.config);
}

std::unique_ptr<PolicyState> Replay::state_before(std::int64_t segment) {
  const PolicyState* kept = archive_.nearest(request_, segment);
  return advance(*policy_, kept ? kept->clone() : policy_->init_state(), segment, true);
}

std::unique_ptr<PolicyState> Replay::advance(const AttentionPolicy& policy, std::unique_ptr<PolicyState> state,
                                             std::int64_t until, bool keep) {
  SegmentRunner runner = this->runner(policy);
  runner.resume(std::move(state));
  for (std::int64_t segment = runner.state().next.index; segment < until; ++segment) {
    runner.run_segment(ids(segment));
    ++segments_run_;
    if (keep) archive_.keep(runner.state());
  }
  return runner.take_state();
}

at::Tensor Replay::look(const AttentionPolicy& policy, std::unique_ptr<PolicyState> state, Watch watch,
                        ForwardHook hook) {
  const std::int64_t segment = state->next.index;
  SegmentRunner runner = this->runner(policy, std::move(watch), std::move(hook));
  runner.resume(std::move(state));
  ++segments_run_;
  return runner.peek_segment(ids(segment));
}

std::vector<float> Replay::losses(const at::Tensor& hidden, std::int64_t segment) const {
  const at::Tensor nll = segment_nll(decoder_, request_, first_token(segment), hidden);
  if (!nll.defined()) return {};
  const at::Tensor host = nll.to(at::kFloat).cpu().contiguous();
  return {host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel()};
}

}  // namespace carryover
