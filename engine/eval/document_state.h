// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/core/run/run_request.h"
#include "engine/core/run/state_info.h"
#include "engine/method/attention_policy.h"
#include "engine/model/decoder.h"

namespace carryover {

/// A text that was read as a document: in whole segments, the last one closed where it ends, however short
/// (document_partition()).
struct ReadDocument {
  RunRequest text;
  std::int64_t ntk_length = 0;  ///< of document_ntk_length()
};

/// What dynamic NTK scales the angles of a run of `tokens` to: under a policy whose positions are the text's, those of
/// the keys that a state holds depend on it. 0 where nothing is scaled.
std::int64_t document_ntk_length(const Decoder& decoder, const RunRequest& text, std::int64_t tokens);

/// The state behind the last text that was run, or that a question was asked about, or that was loaded from a file, so
/// that the next question doesn't read it again. One text at a time; its pool stays in memory until it is cleared,
/// which whoever reads another text does first. Owner: Session. Thread: engine.
class DocumentState {
 public:
  /// A state of its own behind the whole of a text; null where another one, or none, is kept.
  std::unique_ptr<PolicyState> behind(const RunRequest& text, std::int64_t ntk_length = 0) const;

  /// Keeps a copy of `state`, which stands there.
  void keep(const RunRequest& text, const PolicyState& state, std::int64_t ntk_length = 0);
  void clear() { state_.reset(); }

  const PolicyState* state() const { return state_.get(); }   ///< null where none is kept
  const ReadDocument& document() const { return document_; }  ///< what it stands behind
  StateInfo info() const;                                     ///< the same in brief
  std::int64_t pool_bytes() const { return state_ ? state_->pool_bytes() : 0; }

 private:
  ReadDocument document_;
  std::unique_ptr<PolicyState> state_;
};

}  // namespace carryover
