// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/segment_runner.h"
#include "engine/session.h"

namespace carryover {

/// A run's policy, angles and recurrence, made from a request.
class PreparedRun {
 public:
  PreparedRun(const Decoder& decoder, const std::string& policy, const SegmentConfig& config, std::int64_t tokens,
              const std::vector<HeadHits>& forced_hits, std::function<void(int layer)> after_layer);
  SegmentRunner& runner() { return runner_; }

 private:
  std::unique_ptr<AttentionPolicy> policy_;
  Rope rope_;
  SegmentRunner runner_;
};

/// Throws EngineError{BadInput, OutOfMemory} where ids, configuration or memory won't do.
void check_request(const Decoder& decoder, const RunRequest& request);

/// Reads a text in segments: losses, hits, maps and memory of each (the contract of Session::run).
RunSummary run_text(const Decoder& decoder, const RunRequest& request, RunObserver& observer, RunControl& control);

/// The contract of Session::logits.
std::vector<float> logits_at(const Decoder& decoder, const RunRequest& request,
                             const std::vector<std::int64_t>& positions, RunControl& control);

}  // namespace carryover
