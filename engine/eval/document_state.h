// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/core/run/run_request.h"
#include "engine/method/attention_policy.h"

namespace carryover {

/// The state behind the last text that was run, or that a question was asked about, so that the next question doesn't
/// read it again. One text at a time; its pool stays in memory until it is cleared, which whoever reads another text
/// does first. Owner: Session. Thread: engine.
class DocumentState {
 public:
  /// A state of its own behind the whole of a text; null where another one, or none, is kept.
  std::unique_ptr<PolicyState> behind(const RunRequest& text) const;

  /// Keeps a copy of `state`, which stands there.
  void keep(const RunRequest& text, const PolicyState& state);
  void clear() { state_.reset(); }

 private:
  RunRequest text_;
  std::unique_ptr<PolicyState> state_;
};

}  // namespace carryover
