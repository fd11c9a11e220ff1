// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/base/json_parser.h"

namespace carryover {

/// Returns the JSON text of a value. Bytes that are not UTF-8, which paths and arguments may have, become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

/// Reads a whole file, whose size must be one that its kind allows. Throws EngineError{Io, BadInput}, which names the
/// file.
nlohmann::json read_json_file(const std::string& path, JsonKind kind = JsonKind::Record, JsonKeys keys = JsonKeys::Any);

/// Returns nothing if the file can't be read or is no JSON of its kind: for data that are useful but not needed.
std::optional<nlohmann::json> find_json_file(const std::string& path, JsonKind kind = JsonKind::Record);

/// Typed look-up in a JSON object. null counts as absent. A value of the wrong type, or an absent value that is
/// required, throws EngineError{BadInput}, which names `where` and the key.
class JsonFields {
 public:
  /// Throws EngineError{BadInput} if `object` is not an object. `object` must outlive this.
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
