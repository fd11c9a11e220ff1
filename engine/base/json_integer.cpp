// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/json_integer.h"

#include <nlohmann/json.hpp>

namespace carryover {

using nlohmann::json;

std::optional<std::int64_t> find_integer(const json& value) {
  const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  return value.is_number_integer() && !too_large ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

std::int64_t integer_of(const json& value) {
  const auto integer = find_integer(value);
  if (!integer) throw json::type_error::create(302, "type must be a whole number of 64 bits", &value);
  return *integer;
}

void get_integer(const json& object, const char* key, std::int64_t& value) {
  value = integer_of(object.at(key));
}

}  // namespace carryover
