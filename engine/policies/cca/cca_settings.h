// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// The settings that policy cca alone has. A plain value.
struct CcaSettings {
  std::int64_t core_group_length = 16;  ///< g ≥ 1: tokens that are pooled into a core token

  bool operator==(const CcaSettings&) const = default;
};

struct PolicyFields;
extern const PolicyFields cca_fields;

}  // namespace carryover
