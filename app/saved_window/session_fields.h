// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace carryover {

/// The one place where fields of a session file become values: each is checked for its type and its range before
/// anything is done with it, since the file may be anybody's. A field that is missing or null has its default. All
/// throw EngineError{BadInput} naming file and field. The JSON must outlive it.
class SessionFields {
 public:
  static constexpr std::int64_t most_entries = 10'000;  ///< of a list

  /// `name`: of the object in the file, or empty for the file itself.
  SessionFields(const nlohmann::json& object, std::string where, std::string name = {});

  const std::string& where() const { return where_; }
  QString text(const char* key) const;       ///< without the character U+0000, which ends a path
  QStringList texts(const char* key) const;  ///< of a list
  bool flag(const char* key) const;
  double number(const char* key, double missing) const;
  std::int64_t integer(const char* key, std::int64_t missing, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  int index(const char* key, int missing, int least = -1) const;
  QByteArray bytes(const char* key) const;           ///< of base64
  SessionFields object(const char* key) const;       ///< empty where it is missing
  const nlohmann::json& any(const char* key) const;  ///< null where it is missing
  const nlohmann::json& list(const char* key) const;
  const nlohmann::json& object_or_null(const char* key) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& problem) const;

 private:
  std::string path_of(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

  const nlohmann::json& object_;
  std::string where_, name_;
};

}  // namespace carryover
