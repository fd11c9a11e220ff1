// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/output_file.h"
#include "engine/formats/regular_file.h"

namespace carryover {
namespace {

constexpr const char* kLockFile = "lock";

/// Returns true if `path` still names the open file: the previous holder may have removed the file in between.
bool is_named(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

/// Returns true if the lock is held only for a check. is_held() takes a shared lock for a moment, and a holder an
/// exclusive one. So if a shared lock can be had, nobody holds the folder, and a process that wants it tries again.
bool is_only_looked_at(int descriptor) {
  return ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
}

/// Refuses a file that is not a lock of this program, which is empty: such a file called `lock` is neither locked nor
/// removed.
void require_lock_file(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0) return;
  ::close(descriptor);
  throw EngineError(Fault::Usage, path, "is there already, and it is no lock that Carryover made",
                    "Rename it, or choose another folder.");
}

EngineError held_error(const std::string& path, FolderLock::Of what) {
  return what == FolderLock::Of::Folder ? EngineError(Fault::Usage, path, "another process writes into this folder",
                                                      "Stop it first, or choose another folder.")
                                        : EngineError(Fault::Usage, path, "another process writes this file",
                                                      "Stop it first, or name another file.");
}

constexpr int kMostLooks = 1000;  ///< a millisecond apart: a process may be suspended during its check

}  // namespace

FolderLock::FolderLock(const std::string& path, Of what)
    : path_(what == Of::Folder ? path_in(path, kLockFile) : path + "." + kLockFile) {
  for (int looks = 0;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw write_error(path_, errno);
    require_lock_file(descriptor_, path_);
    const int code = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (code == 0 && is_named(descriptor_, path_)) return;
    const bool again = code == EWOULDBLOCK && is_only_looked_at(descriptor_) && ++looks < kMostLooks;
    ::close(descriptor_);
    if (again) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    if (code == EWOULDBLOCK) throw held_error(path, what);
    if (code != 0) {
      throw EngineError(Fault::Io, path_,
                        std::string("can't be locked: ") + std::error_code(code, std::generic_category()).message(),
                        "Choose a folder on a disk that has file locks.");
    }
  }
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());  // before the lock is released: then the name may be another process's
  ::close(descriptor_);
}

bool FolderLock::is_held(const std::string& directory) {
  const std::string path = path_in(directory, kLockFile);
  while (true) {
    const int descriptor = open_regular_file(path);
    if (descriptor < 0) return errno != ENOENT;
    const int code = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? 0 : errno;
    const bool named = is_named(descriptor, path);
    ::close(descriptor);
    if (code != 0) return true;
    if (named) return false;  // else the holder has released it meanwhile, and there may be another
  }
}

}  // namespace carryover
