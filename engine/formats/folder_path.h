// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace carryover {

/// Returns "DIRECTORY/NAME". Pure; any thread.
inline std::string path_in(const std::string& directory, std::string_view name) {
  return (std::filesystem::path(directory) / name).string();
}

}  // namespace carryover
