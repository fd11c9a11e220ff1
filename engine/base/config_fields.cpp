// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/config_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"

namespace carryover {

namespace {

std::string shown(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60);
}

/// Returns the smallest number of insertions, deletions and substitutions that turn `a` into `b`.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

void refuse_field(const std::string& where, const std::string& field, const std::string& problem,
                  const std::string& advice) {
  throw EngineError(Fault::BadInput, where, field + " " + problem, advice);
}

std::int64_t read_integer(const nlohmann::json& value, const std::string& where, const std::string& field) {
  const auto integer = find_integer(value);
  if (!integer) refuse_field(where, field, "is not a whole number in range: " + shown(value), "Give an integer.");
  return *integer;
}

std::uint64_t read_unsigned(const nlohmann::json& value, const std::string& where, const std::string& field) {
  const bool fits = value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  if (!fits) refuse_field(where, field, "is not a whole number of 0 or more: " + shown(value), "Give one.");
  return value.get<std::uint64_t>();
}

double read_real(const nlohmann::json& value, const std::string& where, const std::string& field) {
  if (!value.is_number()) refuse_field(where, field, "is not a number: " + shown(value), "Give a number.");
  return value.get<double>();
}

bool read_flag(const nlohmann::json& value, const std::string& where, const std::string& field) {
  if (!value.is_boolean()) refuse_field(where, field, "is not true or false: " + shown(value), "Give one of them.");
  return value.get<bool>();
}

std::string read_string(const nlohmann::json& value, const std::string& where, const std::string& field) {
  if (!value.is_string()) refuse_field(where, field, "is not a string: " + shown(value), "Put it into quotes.");
  return value.get<std::string>();
}

std::vector<std::string> read_strings(const nlohmann::json& value, const std::string& where, const std::string& field) {
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array())
    refuse_field(where, field, "is not a list of strings: " + shown(value), "Give [\"…\", \"…\"].");
  std::vector<std::string> texts;
  for (const nlohmann::json& entry : value)
    texts.push_back(read_string(entry, where, field + "[" + std::to_string(texts.size()) + "]"));
  return texts;
}

std::vector<std::int64_t> read_integers(const nlohmann::json& value, const std::string& where,
                                        const std::string& field) {
  if (!value.is_array()) refuse_field(where, field, "is not a list of whole numbers", "Give tokens, as [1024, 4096].");
  std::vector<std::int64_t> integers;
  for (const nlohmann::json& entry : value)
    integers.push_back(read_integer(entry, where, field + "[" + std::to_string(integers.size()) + "]"));
  return integers;
}

std::vector<double> read_reals(const nlohmann::json& value, const std::string& where, const std::string& field) {
  if (!value.is_array()) refuse_field(where, field, "is not a list of numbers", "Give numbers, as [1, 2.5].");
  std::vector<double> reals;
  for (const nlohmann::json& entry : value)
    reals.push_back(read_real(entry, where, field + "[" + std::to_string(reals.size()) + "]"));
  return reals;
}

std::string flag_of_field(std::string_view key) {
  std::string flag = std::string("--").append(key);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string listed_names(std::span<const std::string_view> names) {
  std::string listed;
  for (std::size_t i = 0; i < names.size(); ++i)
    listed.append(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ").append(names[i]);
  return listed;
}

std::string nearest_name(const std::string& given, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t count = edits(given, name);
    if (count >= fewest) continue;
    fewest = count;
    nearest = name;
  }
  return nearest;
}

}  // namespace carryover
