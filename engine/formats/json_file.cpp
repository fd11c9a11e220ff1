// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/json_file.h"

#include <set>
#include <vector>

#include "engine/core/base/error.h"
#include "engine/core/base/json_integer.h"
#include "engine/formats/input_file.h"

namespace carryover {

namespace {

constexpr int kMaxDepth = 64;
constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 30;

[[noreturn]] void refuse_text(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Fetch the file again, or repair it.");
}

/// Before parsing, since nested values are expensive to hold and to walk.
void check_depth(std::string_view text, const std::string& where) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) {
        refuse_text(where,
                    "JSON is nested deeper than " + std::to_string(kMaxDepth) + " levels at byte " + std::to_string(i));
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

/// A parser callback that keeps the keys of each object that is open.
class KeyWatch {
 public:
  explicit KeyWatch(const std::string& where) : where_(where) {}
  bool operator()(int, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) {
      open_.emplace_back();
    } else if (event == Event::object_end) {
      open_.pop_back();
    } else if (event == Event::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!open_.back().insert(key).second)
        refuse_text(where_, "the JSON key '" + key.substr(0, 80) + "' appears twice");
    }
    return true;
  }

 private:
  const std::string& where_;
  std::vector<std::set<std::string>> open_;
};

/// Walks over CBOR (RFC 8949) without recursion and without taking memory for what a length claims.
class CborWalk {
 public:
  explicit CborWalk(std::string_view bytes) : left_(bytes) {}

  bool is_one_item() {
    std::vector<std::uint64_t> open{1};  // items that are left at each level
    while (!open.empty()) {
      if (open.back() == 0) {
        open.pop_back();
        continue;
      }
      --open.back();
      const auto inside = item();
      if (!inside) return false;
      if (*inside > 0) open.push_back(*inside);
      if (open.size() > static_cast<std::size_t>(kMaxDepth) + 1) return false;
    }
    return left_.empty();
  }

 private:
  /// Takes an item's head, and a string's bytes; the number of items inside it.
  std::optional<std::uint64_t> item() {
    if (left_.empty()) return std::nullopt;
    const auto first = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    const unsigned type = first >> 5, info = first & 31U;
    const auto argument = take_argument(info);
    if (!argument) return std::nullopt;
    if (type <= 1) return 0;
    if (type <= 3) return skip(*argument) ? std::optional<std::uint64_t>(0) : std::nullopt;
    if (type <= 5) {
      const std::uint64_t each = type - 3;  // an object's key and value
      return *argument <= left_.size() / each ? std::optional(*argument * each) : std::nullopt;
    }
    const bool known = type == 7 && ((info >= 20 && info <= 22) || info >= 25);  // false, true, null, floats
    return known ? std::optional<std::uint64_t>(0) : std::nullopt;
  }

  std::optional<std::uint64_t> take_argument(unsigned info) {
    if (info < 24) return info;
    if (info > 27) return std::nullopt;
    const std::size_t size = std::size_t{1} << (info - 24);
    if (left_.size() < size) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<std::uint8_t>(left_[i]);
    left_.remove_prefix(size);
    return value;
  }

  bool skip(std::uint64_t size) {
    if (size > left_.size()) return false;
    left_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }

  std::string_view left_;
};

}  // namespace

nlohmann::json parse_cbor(std::string_view bytes, const std::string& where) {
  if (!CborWalk(bytes).is_one_item()) refuse_text(where, "is not CBOR, or is nested too deep");
  nlohmann::json value = nlohmann::json::from_cbor(bytes, true, false);
  if (value.is_discarded()) refuse_text(where, "is not usable CBOR");
  return value;
}

nlohmann::json parse_json(std::string_view text, const std::string& where, JsonKeys keys) {
  check_depth(text, where);
  try {
    if (keys == JsonKeys::Any) return nlohmann::json::parse(text.begin(), text.end());
    return nlohmann::json::parse(text.begin(), text.end(), KeyWatch(where));
  } catch (const nlohmann::json::parse_error& error) {
    refuse_text(where, "is not valid JSON at byte " + std::to_string(error.byte == 0 ? 0 : error.byte - 1));
  } catch (const nlohmann::json::exception& error) {
    refuse_text(where, std::string("is not usable JSON: ") + error.what());
  }
}

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json read_json_file(const std::string& path, JsonKeys keys) {
  if (const std::int64_t size = InputFile(path).size(); size > kMaxFileBytes)
    refuse_text(path, "is too large for JSON (" + std::to_string(size) + " bytes)");
  return parse_json(read_whole_file(path), path, keys);
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
