// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/method/segment_runner.h"

namespace carryover {

/// The settings from which a run over one text is made.
struct RunSetup {
  std::string policy;
  SegmentConfig config;
  std::int64_t tokens = 0;  ///< length of the text: memory is reserved for it, and dynamic NTK scales to it under
                            ///< `full`
  std::vector<HeadHits> forced_hits = {};
  std::function<void(int layer)> after_layer = {};
  bool checkpointing = false;
  AdapterDropout dropout = {};
  std::function<void(const LayerSight&)> watch = {};
  std::vector<TokenRange> banned = {};  ///< positions that are not retrieved
  TimeMeter* time = nullptr;
  std::function<void(const AttentionSight&)> watch_attention = {};
};

/// Returns the RoPE of each layer for a run of `tokens` under a policy: the configuration's scaling, or the model's.
/// Borrows the decoder's configuration.
Ropes make_ropes(const Decoder& decoder, const std::string& policy, const SegmentConfig& config, std::int64_t tokens);

/// Owns a run's policy, its RoPE angles and its recurrence. Owner: a run. Thread: engine. Throws EngineError{Usage} if
/// the policy is unknown.
class PreparedRun {
 public:
  PreparedRun(const Decoder& decoder, RunSetup setup);
  SegmentRunner& runner() { return runner_; }
  const AttentionPolicy& policy() const { return *policy_; }

 private:
  std::unique_ptr<AttentionPolicy> policy_;
  Ropes ropes_;
  SegmentRunner runner_;
};

}  // namespace carryover
