// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/decoder/decoder.h"
#include "engine/method/attention_policy.h"
#include "engine/runs/values/run_request.h"
#include "engine/runs/values/state_info.h"

namespace carryover {

/// A text that was read as a document: in whole segments, of which the last is closed at the text's end, however short
/// it is (document_partition()).
struct ReadDocument {
  RunRequest text;
  std::int64_t ntk_length = 0;  ///< as document_ntk_length() returns it
};

/// Returns the length by which dynamic NTK or longrope sets the angles of a run of `tokens` tokens to, or 0 where it
/// scales nothing. Only a policy whose positions are the text's has one, because the keys in its state depend on it.
std::int64_t document_ntk_length(const Decoder& decoder, const RunRequest& text, std::int64_t tokens);

/// Keeps the state behind the last text that was run, asked about or loaded from a file, so that the next question
/// doesn't read the text again. It keeps one text at a time. The pool stays in memory until clear(), which must be
/// called before another text is read. Owner: Session. Thread: engine.
class DocumentState {
 public:
  /// Returns a copy of the state behind the whole of a text, or null where no state or another text's is kept.
  std::unique_ptr<PolicyState> behind(const RunRequest& text, std::int64_t ntk_length = 0) const;

  /// Keeps a copy of `state`, which must stand behind the whole of `text`.
  void keep(const RunRequest& text, const PolicyState& state, std::int64_t ntk_length = 0);
  void clear() { state_.reset(); }

  const PolicyState* state() const { return state_.get(); }   ///< null where none is kept
  const ReadDocument& document() const { return document_; }  ///< the text that the state stands behind
  StateInfo info() const;                                     ///< a summary of the state; needs a kept one
  std::int64_t pool_bytes() const { return state_ ? state_->pool_bytes() : 0; }

 private:
  ReadDocument document_;
  std::unique_ptr<PolicyState> state_;
};

}  // namespace carryover
