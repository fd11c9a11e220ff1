// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/document_state.h"

#include "engine/cost/policy_table.h"
#include "engine/runs/records/state_header.h"
#include "engine/runs/state_archive.h"

namespace carryover {

namespace {

bool same_reading(RunRequest a, RunRequest b) {
  a.config = as_read(std::move(a.config));
  b.config = as_read(std::move(b.config));
  return same_run(a, b);
}

}  // namespace

std::int64_t document_ntk_length(const Decoder& decoder, const RunRequest& text, std::int64_t tokens) {
  const RopeConfig rope = text.config.rope.value_or(decoder.config.rope);
  if (!depends_on_length(rope.kind) || !runs_in_chunks(text.policy)) return 0;
  const std::int64_t trained = rope.original_context > 0 ? rope.original_context : decoder.config.context;
  const std::int64_t length = rope_length(text.policy, text.config, tokens);
  if (length <= trained) return 0;
  return rope.kind == RopeConfig::Kind::Dynamic ? length : trained + 1;  // longrope is the same for all longer texts
}

std::unique_ptr<PolicyState> DocumentState::behind(const RunRequest& text, std::int64_t ntk_length) const {
  if (!state_ || ntk_length != document_.ntk_length || !same_reading(text, document_.text)) return nullptr;
  return state_->clone();
}

void DocumentState::keep(const RunRequest& text, const PolicyState& state, std::int64_t ntk_length) {
  document_ = {text, ntk_length};
  state_ = state.clone();
}

StateInfo DocumentState::info() const {
  CARRYOVER_CHECK(state_ != nullptr);
  const RunRequest& text = document_.text;
  return {text.ids, text.policy, text.config, state_->next.index, state_->carry.bytes() + state_->pool_bytes()};
}

}  // namespace carryover
