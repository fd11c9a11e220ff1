// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>

#include "engine/remote/wire.h"

/// Describes the types of values as JSON, for programs in other languages. A type is
///   "i4", "u8", "f4", …                  a number of so many bytes: signed, unsigned, real
///   "bool"                               a byte, 0 or 1
///   "string"                             a u8 for the bytes that follow
///   "json"                               a string that holds JSON
///   {"enum": [names]}                    an i4, which counts the names from 0
///   {"list": type}                       a u8 for the entries that follow
///   {"optional": type}                   a bool; true: the value follows
///   {"record": [[name, type], …],        these, one after the other, and the bytes of a value in which nothing was
///    "default": "hex digits"}            set
namespace carryover {

template <typename T>
nlohmann::json wire_type();

/// Collects the fields of one record.
class WireDescription {
 public:
  template <typename T>
  using Value = T;

  template <typename T>
  void operator()(const char* name, T& /*value*/) {
    add(name, wire_type<T>());
  }
  template <typename T, typename Range>
  void operator()(const char* name, T& /*value*/, Range /*range*/) {
    add(name, wire_type<T>());
  }
  template <typename T, typename ToText, typename FromText>
  void as_text(const char* name, T& /*value*/, ToText /*to_text*/, FromText /*from_text*/) {
    add(name, "json");
  }
  const nlohmann::json& fields() const { return fields_; }

 private:
  void add(const char* name, nlohmann::json type) { fields_.push_back(nlohmann::json::array({name, std::move(type)})); }

  nlohmann::json fields_ = nlohmann::json::array();
};

inline std::string hex_digits(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

template <typename T>
struct WireType {
  static nlohmann::json json() {
    if constexpr (std::is_same_v<T, bool>) {
      return "bool";
    } else if constexpr (std::is_enum_v<T>) {
      nlohmann::json names = nlohmann::json::array();
      for (int i = 0; i <= static_cast<int>(last_of(T{})); ++i) names.push_back(name_of(static_cast<T>(i)));
      return {{"enum", names}};
    } else if constexpr (std::is_arithmetic_v<T>) {
      return (std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T));
    } else {
      return record();
    }
  }

 private:
  static nlohmann::json record() {
    T value{};
    WireDescription fields;
    describe(fields, value);
    const nlohmann::json& list = fields.fields();
    if (list.size() == 1 && list[0][1] == "json") return "json";  // a type that travels as text is that text
    return {{"record", list}, {"default", hex_digits(pack(value))}};
  }
};
template <>
struct WireType<std::string> {
  static nlohmann::json json() { return "string"; }
};
template <typename T>
struct WireType<std::vector<T>> {
  static nlohmann::json json() { return {{"list", wire_type<T>()}}; }
};
template <typename T>
struct WireType<std::optional<T>> {
  static nlohmann::json json() { return {{"optional", wire_type<T>()}}; }
};
template <typename T>
struct WireType<std::shared_ptr<const T>> : WireType<std::optional<T>> {};

template <typename T>
nlohmann::json wire_type() {
  return WireType<T>::json();
}

}  // namespace carryover
