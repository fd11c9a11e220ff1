// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// What parse_json does with an object that names a key twice: keep the last, as most readers do, or refuse.
enum class JsonKeys { Any, Unique };

/// Parses JSON at most 64 levels deep. Throws EngineError{BadInput} naming `where` and the byte offset. Any thread.
nlohmann::json parse_json(std::string_view text, const std::string& where, JsonKeys keys = JsonKeys::Any);

/// The value of CBOR bytes: one item, at most 64 levels deep, every length within the bytes, no tags and no lengths
/// left open, all of which is checked before anything is parsed. Throws EngineError{BadInput} naming `where`. Any
/// thread.
nlohmann::json parse_cbor(std::string_view bytes, const std::string& where);

/// The JSON text of a value, with U+FFFD in place of bytes that are not UTF-8: paths and arguments may hold any.
std::string json_text(const nlohmann::json& value, int indent = -1);

/// A whole file of at most 1 GiB. Throws EngineError{Io, BadInput} naming the file.
nlohmann::json read_json_file(const std::string& path, JsonKeys keys = JsonKeys::Any);

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
