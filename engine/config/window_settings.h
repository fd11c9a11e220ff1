// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// The settings of policies whose queries see the last tokens: sliding, streaming, duo, infllm, cca and nsa. A plain
/// value.
struct WindowSettings {
  std::int64_t attention_window = 1024;  ///< W ≥ 1: keys up to its own that a query sees

  bool operator==(const WindowSettings&) const = default;
};

struct PolicyFields;
extern const PolicyFields window_fields;

}  // namespace carryover
