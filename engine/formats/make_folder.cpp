// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/make_folder.h"

#include <filesystem>

#include "engine/core/base/error.h"

namespace carryover {

void make_folder(const std::string& folder, const std::string& advice) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw EngineError(Fault::Io, folder, "can't be made: " + code.message(), advice);
}

}  // namespace carryover
