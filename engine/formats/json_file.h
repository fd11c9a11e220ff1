// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/core/base/json_parser.h"

namespace carryover {

/// The JSON text of a value, with U+FFFD in place of bytes that are not UTF-8: paths and arguments may hold any.
std::string json_text(const nlohmann::json& value, int indent = -1);

/// A whole file, of a size that its kind allows. Throws EngineError{Io, BadInput} naming the file.
nlohmann::json read_json_file(const std::string& path, JsonKind kind = JsonKind::Record, JsonKeys keys = JsonKeys::Any);

/// Nothing where the file can't be read or is no JSON of its kind: for what is good to know and not needed.
std::optional<nlohmann::json> find_json_file(const std::string& path, JsonKind kind = JsonKind::Record);

/// Typed look-up in a JSON object. null counts as absent; a value of the wrong type, or an absent one that is required,
/// throws EngineError{BadInput} naming `where` and the key.
class JsonFields {
 public:
  /// Throws EngineError{BadInput} where `object` is not an object. `object` must outlive this.
  JsonFields(const nlohmann::json& object, std::string where);

  const nlohmann::json* find(const char* key) const;
  std::optional<std::int64_t> find_integer(const char* key) const;
  std::optional<double> find_number(const char* key) const;
  std::optional<bool> find_flag(const char* key) const;
  std::optional<std::string> find_text(const char* key) const;
  std::int64_t integer(const char* key) const;

 private:
  [[noreturn]] void refuse(const char* key, const std::string& problem) const;
  const nlohmann::json& object_;
  std::string where_;
};

}  // namespace carryover
