// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/session_fields.h"

#include "engine/base/config_fields.h"
#include "engine/base/error.h"

namespace carryover {
namespace {

using nlohmann::json;

const json null_value, empty_list = json::array(), empty_object = json::object();

}  // namespace

SessionFields::SessionFields(const json& object, std::string where, std::string name)
    : object_(object), where_(std::move(where)), name_(std::move(name)) {
  if (!object.is_object())
    refuse_field(where_, name_.empty() ? "session" : name_, "is not a JSON object",
                 "Choose a session file that Carryover wrote.");
}

void SessionFields::refuse(const std::string& key, const std::string& problem) const {
  refuse_field(where_, path_of(key), problem, "Choose a session file that Carryover wrote.");
}

const json& SessionFields::any(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() ? null_value : *found;
}

QString SessionFields::text(const char* key) const {
  const json& value = any(key);
  if (value.is_null()) return {};
  const std::string text = read_string(value, where_, path_of(key));
  if (text.find('\0') != std::string::npos) refuse(key, "holds the character U+0000");
  return QString::fromStdString(text);
}

QStringList SessionFields::texts(const char* key) const {
  QStringList texts;
  for (const json& each : list(key)) texts += QString::fromStdString(read_string(each, where_, path_of(key)));
  return texts;
}

double SessionFields::number(const char* key, double missing) const {
  const json& value = any(key);
  if (value.is_null()) return missing;
  if (!value.is_number()) refuse(key, "is not a number");
  return value.get<double>();
}

bool SessionFields::flag(const char* key) const {
  const json& value = any(key);
  return !value.is_null() && read_flag(value, where_, path_of(key));
}

std::int64_t SessionFields::integer(const char* key, std::int64_t missing, std::int64_t least,
                                    std::int64_t most) const {
  const json& value = any(key);
  if (value.is_null()) return missing;
  const std::int64_t number = read_integer(value, where_, path_of(key));
  if (number < least || number > most) refuse(key, "is " + std::to_string(number) + ", which is out of range");
  return number;
}

int SessionFields::index(const char* key, int missing, int least) const {
  return static_cast<int>(integer(key, missing, least, std::numeric_limits<int>::max()));
}

QByteArray SessionFields::bytes(const char* key) const {
  const auto decoded =
      QByteArray::fromBase64Encoding(text(key).toLatin1(), QByteArray::Base64Option::AbortOnBase64DecodingErrors);
  if (!decoded) refuse(key, "is not base64");
  return *decoded;
}

SessionFields SessionFields::object(const char* key) const {
  const json& value = any(key);
  return {value.is_null() ? empty_object : value, where_, path_of(key)};
}

const json& SessionFields::list(const char* key) const {
  const json& value = any(key);
  if (value.is_null()) return empty_list;
  if (!value.is_array()) refuse(key, "is not a list");
  if (std::ssize(value) > most_entries) refuse(key, "has more than " + std::to_string(most_entries) + " entries");
  return value;
}

const json& SessionFields::object_or_null(const char* key) const {
  const json& value = any(key);
  if (!value.is_null() && !value.is_object()) refuse(key, "is not a JSON object");
  return value;
}

}  // namespace carryover
