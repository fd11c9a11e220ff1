// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/request_fields.h"

#include <algorithm>

#include "app/serve/api_error.h"
#include "engine/base/json_integer.h"
#include "engine/base/text_parts.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

/// Counts before anything is parsed, so that a refused body takes no memory.
void check_size(std::string_view body) {
  std::size_t parts = 0, values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    in_string = c == '"';
    if (c == '{' || c == '[' || c == '"') ++parts;
    if (c == ',') ++values;
  }
  if (parts > kMostJsonParts || values > kMostJsonValues)
    throw ApiError(413, "The body's JSON may have at most " + std::to_string(kMostJsonParts) +
                            " lists, objects and strings, and " + std::to_string(kMostJsonValues) + " values.");
}

nlohmann::json parse_body(std::string_view body) {
  check_size(body);
  try {
    return parse_json(body, "the body", JsonKind::Request);
  } catch (const EngineError& error) {
    throw ApiError(400, error.where() + " " + error.problem() + ".");
  }
}

std::string shortest(double value) {
  std::string text;
  append_digits(text, value);
  return text;
}

}  // namespace

RequestFields::RequestFields(std::string_view body) : RequestFields(parse_body(body)) {}

RequestFields::RequestFields(nlohmann::json object) : object_(std::move(object)) {
  if (!object_.is_object()) throw ApiError(400, "The body must be a JSON object.");
}

const nlohmann::json* RequestFields::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> RequestFields::find_integer(const char* name, std::int64_t least, std::int64_t most) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = carryover::find_integer(*value);
  if (!number || *number < least || *number > most)
    refuse(name, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

std::optional<double> RequestFields::find_number(const char* name, double least, double most) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : least - 1;
  if (!(number >= least && number <= most))
    refuse(name, "must be a number from " + shortest(least) + " to " + shortest(most));
  return number;
}

bool RequestFields::flag(const char* name, bool absent) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return absent;
  if (!value->is_boolean()) refuse(name, "must be true or false");
  return value->get<bool>();
}

std::optional<std::string> RequestFields::find_text(const char* name) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(name, "must be a string");
  return value->get<std::string>();
}

std::vector<std::string> RequestFields::texts(const char* name, std::size_t most, std::size_t longest) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return {};
  const nlohmann::json list = value->is_array() ? *value : nlohmann::json::array({*value});
  if (list.size() > most) refuse(name, "may have at most " + std::to_string(most) + " texts");
  std::vector<std::string> texts;
  for (const nlohmann::json& each : list) {
    if (!each.is_string() || each.get_ref<const std::string&>().empty() ||
        each.get_ref<const std::string&>().size() > longest)
      refuse(name, "must be strings of 1 to " + std::to_string(longest) + " bytes");
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

void RequestFields::refuse(const char* name, const std::string& problem) {
  throw ApiError(400, std::string(name) + " " + problem + ".", name);
}

std::vector<std::int32_t> ids_from(const nlohmann::json& list, const char* name, std::int64_t vocabulary) {
  if (!list.is_array()) RequestFields::refuse(name, "must be a list of token ids");
  std::vector<std::int32_t> ids;
  ids.reserve(list.size());
  for (const nlohmann::json& each : list) {
    const auto id = find_integer(each);
    if (!id || *id < 0 || *id >= vocabulary)
      RequestFields::refuse(name, "must have token ids from 0 to " + std::to_string(vocabulary - 1));
    ids.push_back(static_cast<std::int32_t>(*id));
  }
  return ids;
}

}  // namespace carryover
