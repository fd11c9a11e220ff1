// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/base/json_integer.h"

#include <nlohmann/json.hpp>

namespace carryover {

using nlohmann::json;

std::int64_t integer_of(const json& value) {
  const bool whole = value.is_number_integer();
  if (!whole || (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}))
    throw json::type_error::create(302, "type must be a whole number of 64 bits", &value);
  return value.get<std::int64_t>();
}

void get_integer(const json& object, const char* key, std::int64_t& value) {
  value = integer_of(object.at(key));
}

}  // namespace carryover
