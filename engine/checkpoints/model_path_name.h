// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <string>

namespace carryover {

/// Returns what the model at a path is called: the folder's name, also of "folder/" and "."; a GGUF's without its
/// suffix; NAME of a snapshot in a hub's cache (models--ORG--NAME/snapshots/COMMIT), whose own name is a number. Any
/// thread.
inline std::string model_path_name(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path absolute = fs::absolute(path).lexically_normal();
  const fs::path whole = absolute.has_filename() ? absolute : absolute.parent_path();
  if (whole.extension() == ".gguf") return whole.stem().string();
  const fs::path above = whole.parent_path();
  const std::string repository = above.parent_path().filename().string();
  const std::size_t dashes = repository.rfind("--");
  const bool on_hub = above.filename() == "snapshots" && repository.starts_with("models--") && dashes > 6;
  return on_hub ? repository.substr(dashes + 2) : whole.filename().string();
}

}  // namespace carryover
