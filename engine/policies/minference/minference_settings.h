// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/config/head_patterns.h"

namespace carryover {

/// The settings that policy minference alone has. A plain value.
struct MinferenceSettings {
  HeadPatterns head_patterns;  ///< JSON: MInference's list of layers

  bool operator==(const MinferenceSettings&) const = default;
};

struct PolicyFields;
extern const PolicyFields minference_fields;

}  // namespace carryover
