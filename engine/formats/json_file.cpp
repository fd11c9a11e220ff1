// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/json_file.h"

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/formats/input_file.h"

namespace carryover {

namespace {

[[noreturn]] void refuse_text(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Fetch the file again, or repair it.");
}

}  // namespace

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json read_json_file(const std::string& path, JsonKind kind, JsonKeys keys) {
  check_json_size(InputFile(path).size(), path, kind);
  return parse_json(read_whole_file(path), path, kind, keys);
}

std::optional<nlohmann::json> find_json_file(const std::string& path, JsonKind kind) {
  try {
    return read_json_file(path, kind);
  } catch (const EngineError&) {
    return std::nullopt;
  }
}

JsonFields::JsonFields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) refuse_text(where_, "is not a JSON object");
}

void JsonFields::refuse(const char* key, const std::string& problem) const {
  throw EngineError(Fault::BadInput, where_, std::string(key) + " " + problem,
                    "Repair this field, or fetch the file again.");
}

const nlohmann::json* JsonFields::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> JsonFields::find_integer(const char* key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto integer = carryover::find_integer(*value);
  if (!integer) refuse(key, "is not a whole number in range: " + value->dump().substr(0, 60));
  return integer;
}

std::optional<double> JsonFields::find_number(const char* key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) refuse(key, "is not a number: " + value->dump().substr(0, 60));
  return value->get<double>();
}

std::optional<bool> JsonFields::find_flag(const char* key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "is not true or false: " + value->dump().substr(0, 60));
  return value->get<bool>();
}

std::optional<std::string> JsonFields::find_text(const char* key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(key, "is not a string: " + value->dump().substr(0, 60));
  return value->get<std::string>();
}

std::int64_t JsonFields::integer(const char* key) const {
  const auto value = find_integer(key);
  if (!value) refuse(key, "is missing");
  return *value;
}

}  // namespace carryover
