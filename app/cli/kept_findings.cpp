// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/kept_findings.h"

#include <filesystem>

#include "engine/core/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover {

std::optional<nlohmann::json> kept_findings(const std::string& path, const std::string& inputs, const char* key) {
  if (path.empty() || !std::filesystem::exists(path)) return std::nullopt;
  const nlohmann::json told = read_json_file(path);
  const JsonFields fields(told, path);
  if (fields.find_text("inputs") != inputs)
    throw EngineError(Fault::Usage, path, "was made from other texts, settings or weights",
                      "Name another file, or remove this one.");
  const nlohmann::json* found = fields.find(key);
  return found != nullptr ? *found : nlohmann::json();
}

}  // namespace carryover
