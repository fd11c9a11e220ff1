// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "engine/core/base/error.h"
#include "engine/formats/output_file.h"

namespace carryover {
namespace {

constexpr const char* kLockFile = "lock";

/// Whether `path` still names the open file: whoever held the lock before may have removed it in between.
bool is_named(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

FolderLock::FolderLock(const std::string& directory) : path_((std::filesystem::path(directory) / kLockFile).string()) {
  while (true) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw write_error(path_, errno);
    const int code = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (code == 0 && is_named(descriptor_, path_)) return;
    ::close(descriptor_);
    if (code == EWOULDBLOCK) {
      throw EngineError(Fault::Usage, directory, "another process writes into this folder",
                        "Stop it first, or choose another folder.");
    }
    if (code != 0) {
      throw EngineError(Fault::Io, path_,
                        std::string("can't be locked: ") + std::error_code(code, std::generic_category()).message(),
                        "Choose a folder on a disk that has file locks.");
    }
  }
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());  // before the lock goes: from then on the name may be another process's
  ::close(descriptor_);
}

}  // namespace carryover
