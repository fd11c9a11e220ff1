// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace carryover {

/// Returns `value` if it is an integer of 64 bits, signed. A float is none, whatever its value. Any thread.
std::optional<std::int64_t> find_integer(const nlohmann::json& value);

/// Returns `value`, which has to be such an integer. nlohmann::json's own conversion accepts a float, too, and its cast
/// is undefined if the value does not fit. Throws nlohmann::json::exception, as at() and get_to() do. Any thread.
std::int64_t integer_of(const nlohmann::json& value);

/// Reads the integer `key` of `object` into `value`.
void get_integer(const nlohmann::json& object, const char* key, std::int64_t& value);

}  // namespace carryover
