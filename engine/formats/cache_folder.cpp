// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/cache_folder.h"

#include <cstdlib>
#include <filesystem>

namespace carryover {

std::string cache_folder(const std::string& kind) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (!variable("CARRYOVER_CACHE").empty()) return variable("CARRYOVER_CACHE") / kind;
  if (!variable("XDG_CACHE_HOME").empty()) return variable("XDG_CACHE_HOME") / "carryover" / kind;
  return variable("HOME").empty() ? std::string() : (variable("HOME") / ".cache" / "carryover" / kind).string();
}

}  // namespace carryover
