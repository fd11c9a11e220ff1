// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"

namespace carryover {
namespace {

void check_kind(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) throw EngineError(Fault::Io, path, "is a folder", "Give a file.");
  if (!S_ISREG(mode)) throw EngineError(Fault::Io, path, "is not a regular file", "Give a file on disk.");
}

}  // namespace

void require_regular_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) check_kind(path, status.st_mode);
}

int open_regular_file(const std::string& path) {
  require_regular_file(path);  // first, because opening a device may have an effect already
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return descriptor;
  try {
    check_kind(path, status.st_mode);  // again, because another file may have the name by now
  } catch (const EngineError&) {
    ::close(descriptor);
    throw;
  }
  return descriptor;
}

}  // namespace carryover
