// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// The settings that policy snapkv alone has. A plain value.
struct SnapKvSettings {
  std::int64_t kv_budget = 1024;  ///< ≥ 1: keys of a prompt that a KV head keeps, its last L_q included

  bool operator==(const SnapKvSettings&) const = default;
};

struct PolicyFields;
extern const PolicyFields snapkv_fields;

}  // namespace carryover
