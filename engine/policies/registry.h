// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/core/config/segment_config.h"
#include "engine/method/attention_policy.h"

namespace carryover {

struct PolicyRequest {
  SegmentConfig config;
  ModelConfig model;
  at::TensorOptions options;         ///< dtype and device of keys and values
  std::int64_t expected_tokens = 0;  ///< reserved ahead
  std::vector<HeadHits> forced_hits;
  std::vector<TokenRange> banned = {};  ///< of retrieval
};

/// A static object of each policy's .cpp, which makes the policy known: `name` is that of its row in
/// core/cost/policy_table.h.
struct PolicyFactory {
  using Make = std::unique_ptr<AttentionPolicy> (*)(const PolicyRequest&);
  PolicyFactory(const char* name, Make make);
};

/// Throws EngineError{Usage} with the names there are.
std::unique_ptr<AttentionPolicy> make_policy(const std::string& name, const PolicyRequest& request);

}  // namespace carryover
