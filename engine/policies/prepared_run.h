// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/method/segment_runner.h"

namespace carryover {

/// What a run over one text is made from.
struct RunSetup {
  std::string policy;
  SegmentConfig config;
  std::int64_t tokens = 0;  ///< of the text: reserved ahead, and what dynamic NTK scales to under `full`
  std::vector<HeadHits> forced_hits = {};
  std::function<void(int layer)> after_layer = {};
  bool checkpointing = false;
  AdapterDropout dropout = {};
  std::function<void(const LayerSight&)> watch = {};
  std::vector<TokenRange> banned = {};  ///< of retrieval
  TimeMeter* time = nullptr;
  std::function<void(const AttentionSight&)> watch_attention = {};
};

/// A run's policy, angles and recurrence. Owner: a run. Thread: engine. Throws EngineError{Usage} for an unknown
/// policy.
class PreparedRun {
 public:
  PreparedRun(const Decoder& decoder, RunSetup setup);
  SegmentRunner& runner() { return runner_; }
  const AttentionPolicy& policy() const { return *policy_; }

 private:
  std::unique_ptr<AttentionPolicy> policy_;
  Rope rope_;
  SegmentRunner runner_;
};

}  // namespace carryover
