// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// The settings that policy streaming alone has. A plain value.
struct StreamingSettings {
  bool cache_positions = true;  ///< sinks stand right before the window, as in the cache

  bool operator==(const StreamingSettings&) const = default;
};

struct PolicyFields;
extern const PolicyFields streaming_fields;

}  // namespace carryover
