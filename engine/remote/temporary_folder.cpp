// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/formats/output_file.h"

namespace carryover {

TemporaryFolder::TemporaryFolder() {
  std::error_code none;
  std::string pattern = (std::filesystem::temp_directory_path(none) / "carryover-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw write_error(pattern, errno);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace carryover
