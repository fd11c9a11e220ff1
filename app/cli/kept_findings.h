// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace carryover {

/// What a file of --evidence keeps under `key`, from which the same command goes on: nothing where there is no such
/// file or `path` is empty, and null where the file lacks the key. `inputs`: what the findings are made from. Throws
/// EngineError{Usage} where the file's are made from others, {Io, BadInput}.
std::optional<nlohmann::json> kept_findings(const std::string& path, const std::string& inputs, const char* key);

}  // namespace carryover
