// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// Describes the text after which a session keeps the state, so that questions about it do not read it again. A plain
/// value.
struct StateInfo {
  std::shared_ptr<const std::vector<std::int32_t>> ids;  ///< the document's ids, with BOS if it has one
  std::string policy;
  SegmentConfig config;       ///< configuration that it was read under
  std::int64_t segments = 0;  ///< the last one was closed where the document ends, however short
  std::int64_t bytes = 0;     ///< bytes of carry and pool, or of the cache
};

}  // namespace carryover
