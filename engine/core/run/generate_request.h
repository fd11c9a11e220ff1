// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/config/segment_config.h"

namespace carryover {

struct Sampling {
  double temperature = 0;  ///< 0: greedy
  double top_p = 1;
  std::uint64_t seed = 0;
};

struct GenerateRequest {
  std::vector<std::int32_t> prompt;
  std::int64_t max_new_tokens = 128;
  std::vector<std::int32_t> stop_ids;
  std::string policy = "segmented";
  SegmentConfig config;
  Sampling sampling;
};

struct GenerateResult {
  std::vector<std::int32_t> ids;
  double prompt_seconds = 0, decode_seconds = 0;
  bool cancelled = false;
};

}  // namespace carryover
