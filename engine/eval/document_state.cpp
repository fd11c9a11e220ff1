// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/eval/document_state.h"

#include "engine/eval/state_archive.h"

namespace carryover {

namespace {

/// Without what only says how a prompt ends and how gradients flow: the states are the same.
RunRequest of_reading(RunRequest text) {
  SegmentConfig& config = text.config;
  config.question_pass = config.boundary_at_prompt_end = config.cross_boundary_target = false;
  config.truncation_depth = 0;
  return text;
}

}  // namespace

std::unique_ptr<PolicyState> DocumentState::behind(const RunRequest& text) const {
  return state_ && same_run(of_reading(text), text_) ? state_->clone() : nullptr;
}

void DocumentState::keep(const RunRequest& text, const PolicyState& state) {
  text_ = of_reading(text);
  state_ = state.clone();
}

}  // namespace carryover
