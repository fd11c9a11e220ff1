// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

/// Read a JSON value under a field's name, for every configuration. `where` is the file or "command line". All throw
/// EngineError{BadInput}, which names both, if the value has another type or is out of range. Any thread.
std::int64_t read_integer(const nlohmann::json& value, const std::string& where, const std::string& field);
std::uint64_t read_unsigned(const nlohmann::json& value, const std::string& where, const std::string& field);
double read_real(const nlohmann::json& value, const std::string& where, const std::string& field);
bool read_flag(const nlohmann::json& value, const std::string& where, const std::string& field);
std::string read_string(const nlohmann::json& value, const std::string& where, const std::string& field);
/// Reads an array of strings; a single string is an array of one.
std::vector<std::string> read_strings(const nlohmann::json& value, const std::string& where, const std::string& field);
std::vector<std::int64_t> read_integers(const nlohmann::json& value, const std::string& where,
                                        const std::string& field);
std::vector<double> read_reals(const nlohmann::json& value, const std::string& where, const std::string& field);

[[noreturn]] void refuse_field(const std::string& where, const std::string& field, const std::string& problem,
                               const std::string& advice);

/// Returns the flag of a field: "--segment-length" for segment_length.
std::string flag_of_field(std::string_view key);

/// Returns "auto, cpu or cuda".
std::string listed_names(std::span<const std::string_view> names);

/// Returns the name of which `given` is probably a misspelling: the one with fewest edits, at most a third of its
/// length. Returns an empty text if there is none.
std::string nearest_name(const std::string& given, const std::vector<std::string>& names);

}  // namespace carryover
