// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/partition.h"

#include <algorithm>

#include "engine/config/segment_config.h"

namespace carryover {

std::vector<std::int64_t> document_partition(std::int64_t tokens, const SegmentConfig& config) {
  const std::int64_t S = config.segment_length;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(tokens / S), S);
  if (tokens % S > 0) lengths.push_back(tokens % S);
  return lengths;
}

std::vector<std::int64_t> prompt_partition(std::int64_t prompt_tokens, const SegmentConfig& config) {
  const std::int64_t S = config.segment_length, remainder = prompt_tokens % S;
  std::vector<std::int64_t> lengths = document_partition(prompt_tokens, config);
  if (remainder == 0) return lengths;
  if (!config.boundary_at_prompt_end) {
    lengths.pop_back();  // the last segment stays open
    return lengths;
  }
  const std::int64_t wanted = std::min(S, std::max(config.carry_length, config.query_length));
  if (remainder < wanted && lengths.size() > 1) {
    lengths.back() = wanted;
    lengths.end()[-2] = S + remainder - wanted;
  }
  return lengths;
}

}  // namespace carryover
