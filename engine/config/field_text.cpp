// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/field_text.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {

/// Returns true if all of `text` is a number, and stores it in `value`.
template <typename Number>
bool is_number(const std::string& text, Number& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

/// Returns "18.6" for a head, "6" for an index.
std::string item_text(const nlohmann::json& item) {
  return item.is_array() && item.size() == 2 ? item[0].dump() + "." + item[1].dump() : item.dump();
}

}  // namespace

nlohmann::json json_of_indices(const std::string& text, const std::string& where) {
  nlohmann::json list = nlohmann::json::array();
  if (text.empty() || text == "none") return list;
  for (const std::string& item : text_parts(text, ',')) {
    int value = 0;
    if (!is_number(item, value))
      throw EngineError(Fault::Usage, where, "'" + item + "' is not an index",
                        "Give a list such as 6,8,11,18, or none.");
    list.push_back(value);
  }
  return list;
}

nlohmann::json json_of_heads(const std::string& text, const std::string& where) {
  const auto heads = parse_heads(text);
  if (!heads)
    throw EngineError(Fault::Usage, where, "'" + text + "' is not a list of layers and heads",
                      "Give one such as 18.6,15.6, or none.");
  return *heads;
}

nlohmann::json json_of_field(const SegmentField& field, const std::string& text, const std::string& where) {
  if (field.is<HeadPatterns>() || field.is<std::optional<RopeConfig>>())
    throw EngineError(Fault::Usage, where, std::string(field.key) + " can't be written as one value",
                      "Give it for all: with " + field.flag() + ", or in --config.");
  if (field.is<Grouping>()) return json_of_indices(text, where);
  if (field.is<std::vector<HeadRef>>()) return json_of_heads(text, where);
  if (std::int64_t count = 0; is_number(text, count)) return count;
  if (text == "true" || text == "false") return text == "true";
  return text;
}

std::string text_of_field(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const nlohmann::json& item : value) text += (text.empty() ? "" : ",") + item_text(item);
  return text.empty() ? "none" : text;
}

}  // namespace carryover
