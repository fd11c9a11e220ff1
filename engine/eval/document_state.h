// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/run/generate_request.h"
#include "engine/core/run/run_request.h"
#include "engine/method/attention_policy.h"

namespace carryover {

/// The state behind the last text that was run, or that a question was asked about, so that the next question doesn't
/// read it again. One text at a time; its pool stays in memory until another is kept or it is cleared. Owner: Session.
/// Thread: engine.
class DocumentState {
 public:
  /// A state behind the first `tokens` of a request's prompt, read under its policy and configuration; null where
  /// another document, or none, is kept.
  std::unique_ptr<PolicyState> behind(const GenerateRequest& request, std::int64_t tokens) const;

  /// Keeps a copy of `state`, which stands there.
  void keep(const GenerateRequest& request, std::int64_t tokens, const PolicyState& state);
  /// The same behind a whole run.
  void keep(const RunRequest& run, const PolicyState& state);
  void clear() { state_.reset(); }

 private:
  bool is_of(const GenerateRequest& request, std::int64_t tokens) const;

  std::vector<std::int32_t> ids_;
  std::string policy_;
  SegmentConfig config_;
  std::vector<HeadHits> forced_hits_;
  std::unique_ptr<PolicyState> state_;
};

}  // namespace carryover
