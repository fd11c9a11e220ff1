// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

/// These limits bound the memory of a body's JSON. Lists, objects and strings, names among them, take some 100 bytes
/// each, and values of any kind 16.
inline constexpr std::size_t kMostJsonParts = 250'000, kMostJsonValues = std::size_t{4} << 20;

/// Typed look-up in the JSON object of a request's body; null counts as absent. What is wrong throws ApiError{400} with
/// the field's name. One thread.
class RequestFields {
 public:
  explicit RequestFields(std::string_view body);  ///< throws ApiError{413} beyond the limits above
  explicit RequestFields(nlohmann::json object);

  const nlohmann::json& object() const { return object_; }
  const nlohmann::json* find(const char* name) const;
  std::optional<std::int64_t> find_integer(const char* name, std::int64_t least, std::int64_t most) const;
  std::optional<double> find_number(const char* name, double least, double most) const;
  bool flag(const char* name, bool absent = false) const;
  std::optional<std::string> find_text(const char* name) const;
  /// A text, or a list of at most `most` texts; none is empty or longer than `longest` bytes.
  std::vector<std::string> texts(const char* name, std::size_t most, std::size_t longest) const;

  [[noreturn]] static void refuse(const char* name, const std::string& problem);

 private:
  nlohmann::json object_;
};

/// Token ids: a list of whole numbers from 0 to below `vocabulary`. Throws ApiError{400} naming the field.
std::vector<std::int32_t> ids_from(const nlohmann::json& list, const char* name, std::int64_t vocabulary);

}  // namespace carryover
