// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/make_folder.h"

#include <filesystem>

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"

namespace carryover {

void make_folder(const std::string& folder, const std::string& advice) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw EngineError(Fault::Io, folder, "can't be made: " + code.message(), advice);
}

void require_free_names(const std::string& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string path = path_in(folder, name);
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored)))
      throw EngineError(Fault::Usage, path, "is there already, and would be replaced",
                        "Choose another folder, or move the file.");
  }
}

}  // namespace carryover
