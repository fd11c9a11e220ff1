// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/base/config_fields.h"

namespace carryover {

/// Throws EngineError{BadInput} for a field of a model's configuration. `problem` follows the field's name, as in
/// "is odd".
[[noreturn]] inline void refuse_value(const std::string& where, const std::string& field, const std::string& problem) {
  refuse_field(where, field, problem, "Check that the file is complete and unchanged.");
}

/// Refuses a value outside low..high.
inline void check_range(const std::string& where, const char* field, std::int64_t value, std::int64_t low,
                        std::int64_t high) {
  if (value >= low && value <= high) return;
  refuse_value(where, field,
               "is " + std::to_string(value) + ", outside " + std::to_string(low) + " to " + std::to_string(high));
}

}  // namespace carryover
