// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// Of which text a session keeps the state behind it, so that questions about it don't read it again. A plain value.
struct StateInfo {
  std::shared_ptr<const std::vector<std::int32_t>> ids;  ///< the document's, BOS included where it has one
  std::string policy;
  SegmentConfig config;       ///< as it was read
  std::int64_t segments = 0;  ///< the last one closed where the document ends, however short
  std::int64_t bytes = 0;     ///< of carry and pool, or cache
};

}  // namespace carryover
