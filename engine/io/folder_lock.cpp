// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/io/output_file.h"

namespace carryover {

FolderLock::FolderLock(const std::string& directory) {
  const std::string path = (std::filesystem::path(directory) / kLockFile).string();
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw write_error(path, errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int code = errno;
  ::close(descriptor_);
  if (code == EWOULDBLOCK) {
    throw EngineError(Fault::Usage, directory, "another process writes into this folder",
                      "Stop it first, or choose another folder.");
  }
  throw EngineError(Fault::Io, path,
                    std::string("can't be locked: ") + std::error_code(code, std::generic_category()).message(),
                    "Choose a folder on a disk that has file locks.");
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

}  // namespace carryover
