// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"

/// JSON of the members of configurations. Pure; any thread.
namespace carryover {

namespace detail {
template <typename Value>
inline constexpr bool is_optional = false;
template <typename Value>
inline constexpr bool is_optional<std::optional<Value>> = true;

template <typename Number>
std::vector<Number> read_small_integers(const nlohmann::json& value, const std::string& where,
                                        const std::string& field) {
  std::vector<Number> numbers;
  for (const std::int64_t number : read_integers(value, where, field)) {
    if (!std::in_range<Number>(number)) refuse_field(where, field, "has a number out of range", "Correct it.");
    numbers.push_back(static_cast<Number>(number));
  }
  return numbers;
}
}  // namespace detail

/// Reads a member from JSON; other types have overloads beside them. Throws EngineError{BadInput}, which names `where`
/// and the field, if the value has another type; null is a value for an optional member only.
template <typename Value>
void read_field(const nlohmann::json& value, const std::string& where, const std::string& field, Value& member) {
  if constexpr (std::is_same_v<Value, std::int64_t>) {
    member = read_integer(value, where, field);
  } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
    member = read_unsigned(value, where, field);
  } else if constexpr (std::is_same_v<Value, double>) {
    member = read_real(value, where, field);
  } else if constexpr (std::is_same_v<Value, bool>) {
    member = read_flag(value, where, field);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    member = read_string(value, where, field);
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    member = read_strings(value, where, field);
  } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
    member = read_integers(value, where, field);
  } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
    member = detail::read_small_integers<int>(value, where, field);
  } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
    member = read_reals(value, where, field);
  } else {
    static_assert(detail::is_optional<Value>);
    member.reset();
    if (!value.is_null()) read_field(value, where, field, member.emplace());
  }
}

template <typename Value>
nlohmann::json json_of(const Value& value) {
  return value;
}
template <typename Value>
nlohmann::json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : nlohmann::json();
}

/// How a member that an each_field() names stands in JSON.
enum class InJson {
  Needed,    ///< always; a reader refuses an object without it
  Written,   ///< always; a reader takes the value of a new struct where it is missing
  IfChanged  ///< only where it differs from the value of a new struct
};

/// Returns the members of a struct as JSON, or all of them if a reader does not know the values of a new struct. Its
/// each_field(struct, field) calls field(key, pointer to member, InJson) for each.
template <typename Struct>
nlohmann::json json_of_fields(const Struct& value, bool all = false) {
  const Struct unchanged;
  nlohmann::json json = nlohmann::json::object();
  each_field(value, [&](const char* key, auto member, InJson kind) {
    if (all || kind != InJson::IfChanged || !(value.*member == unchanged.*member)) json[key] = json_of(value.*member);
  });
  return json;
}

/// Reads what json_of_fields() wrote; keys of no member are ignored. Messages name a member behind `prefix`. Throws
/// EngineError{BadInput}.
template <typename Struct>
Struct fields_of_json(const nlohmann::json& json, const std::string& where, const std::string& prefix) {
  Struct value;
  each_field(value, [&](const char* key, auto member, InJson kind) {
    const auto found = json.find(key);
    if (found != json.end())
      read_field(*found, where, prefix + key, value.*member);
    else if (kind == InJson::Needed)
      refuse_field(where, prefix + key, "is missing", "Name it.");
  });
  return value;
}

}  // namespace carryover
