// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/eval/document_state.h"

#include <algorithm>

namespace carryover {

namespace {

/// Without what only says how a prompt ends and how gradients flow: the states are the same.
SegmentConfig of_reading(SegmentConfig config) {
  config.question_pass = config.boundary_at_prompt_end = config.cross_boundary_target = false;
  config.truncation_depth = 0;
  return config;
}

}  // namespace

bool DocumentState::is_of(const GenerateRequest& request, std::int64_t tokens) const {
  return state_ && std::ssize(ids_) == tokens && request.policy == policy_ && of_reading(request.config) == config_ &&
         request.forced_hits == forced_hits_ && std::equal(ids_.begin(), ids_.end(), request.prompt.begin());
}

std::unique_ptr<PolicyState> DocumentState::behind(const GenerateRequest& request, std::int64_t tokens) const {
  return is_of(request, tokens) ? state_->clone() : nullptr;
}

void DocumentState::keep(const GenerateRequest& request, std::int64_t tokens, const PolicyState& state) {
  ids_.assign(request.prompt.begin(), request.prompt.begin() + tokens);
  policy_ = request.policy;
  config_ = of_reading(request.config);
  forced_hits_ = request.forced_hits;
  state_ = state.clone();
}

void DocumentState::keep(const RunRequest& run, const PolicyState& state) {
  GenerateRequest read;
  read.prompt = *run.ids;
  read.policy = run.policy;
  read.config = run.config;
  read.forced_hits = run.forced_hits;
  keep(read, std::ssize(read.prompt), state);
}

}  // namespace carryover
