// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace carryover {

/// `value` where it is a whole number of 64 bits, signed. A float is none, whatever its value. Any thread.
std::optional<std::int64_t> find_integer(const nlohmann::json& value);

/// The same, where it has to be one. nlohmann::json's own conversion takes a float, too, and its cast is undefined
/// where it does not fit. Throws nlohmann::json::exception, as at() and get_to() do. Any thread.
std::int64_t integer_of(const nlohmann::json& value);

/// The integer `key` of `object`.
void get_integer(const nlohmann::json& object, const char* key, std::int64_t& value);

}  // namespace carryover
