// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace carryover {

// Files of benchmarks, which may be damaged or made to do harm: at most 1 GiB each, a record 64 levels deep.

/// Advice where such a file is damaged.
inline constexpr const char* kFetchAgain = "Fetch the official file again.";

/// The first of these names, relative to the folder, that is a file there; empty where none is.
std::string find_in_folder(const std::string& folder, const std::vector<std::string>& names);

/// Does the same; throws EngineError{Usage} where no folder was named, and {Io} listing the names and where to get the
/// file.
std::string need_in_folder(const std::string& folder, const std::vector<std::string>& names, const std::string& advice);

/// Gives at most `count` records (0: all) of a .jsonl, or a .json that is a list of objects, in the file's order, each
/// with its place: "hotpotqa.jsonl:3", "data.json[2]". Passes over empty lines. Throws EngineError{Io, BadInput} naming
/// file and place; a file without a record is refused.
void read_records(const std::string& path, std::int64_t count,
                  const std::function<void(nlohmann::json& record, const std::string& where)>& take);

/// A text that a record has to have. Throws EngineError{BadInput} naming place and key.
const std::string& record_text(const nlohmann::json& record, const char* key, const std::string& where);

}  // namespace carryover
