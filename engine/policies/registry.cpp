// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/registry.h"

#include <algorithm>
#include <functional>

#include "engine/core/base/error.h"
#include "engine/policies/full.h"
#include "engine/policies/segmented.h"

namespace carryover {

namespace {

struct Row {
  std::string name;
  std::function<std::unique_ptr<AttentionPolicy>(const PolicyRequest&)> make;
  std::function<std::int64_t(const SegmentConfig&, std::int64_t tokens)> rope_length;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"segmented",
       [](const PolicyRequest& r) {
         return std::make_unique<SegmentedPolicy>(r.config, r.model, r.options, r.expected_tokens, r.forced_hits,
                                                  r.banned);
       },
       [](const SegmentConfig& config, std::int64_t) {
         return config.segment_length + config.sink_length + std::max(config.carry_length, config.retrieval_length);
       }},
      {"full",
       [](const PolicyRequest& r) { return std::make_unique<FullPolicy>(r.model, r.options, r.expected_tokens); },
       [](const SegmentConfig&, std::int64_t tokens) { return tokens; }},
  };
  return all;
}

const Row& row(const std::string& name) {
  std::string names;
  for (const Row& candidate : rows()) {
    if (candidate.name == name) return candidate;
    names += (names.empty() ? "" : ", ") + candidate.name;
  }
  throw EngineError(Fault::Usage, "--policy", "there is no policy \"" + name + "\"", "Choose one of: " + names + ".");
}

}  // namespace

std::unique_ptr<AttentionPolicy> make_policy(const std::string& name, const PolicyRequest& request) {
  return row(name).make(request);
}

std::int64_t rope_length(const std::string& policy, const SegmentConfig& config, std::int64_t tokens) {
  return row(policy).rope_length(config, tokens);
}

}  // namespace carryover
