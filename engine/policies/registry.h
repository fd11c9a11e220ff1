// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/config/segment_config.h"
#include "engine/method/attention_policy.h"

namespace carryover {

struct PolicyRequest {
  SegmentConfig config;
  ModelConfig model;
  at::TensorOptions options;         ///< dtype and device of keys and values
  std::int64_t expected_tokens = 0;  ///< tokens for which memory is reserved
  std::vector<HeadHits> forced_hits;
  std::vector<TokenRange> banned = {};  ///< positions that are not retrieved
};

/// Make each policy; defined in the files of their classes.
using PolicyMaker = std::unique_ptr<AttentionPolicy>(const PolicyRequest&);
PolicyMaker make_segmented, make_full, make_sliding, make_streaming, make_duo, make_minference, make_snapkv,
    make_infllm, make_cca, make_nsa;

/// Makes a policy by its name. Throws EngineError{Usage}, which lists the known names, if there is none of that name.
std::unique_ptr<AttentionPolicy> make_policy(const std::string& name, const PolicyRequest& request);

}  // namespace carryover
