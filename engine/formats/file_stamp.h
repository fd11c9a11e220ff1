// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace carryover {

/// Identifies the file that a path names and its last write: another stamp means another file or other contents. A
/// plain value.
struct FileStamp {
  std::int64_t inode = 0, size = -1, seconds = 0, nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;
};

/// Returns the stamp of a file, or the default value if there is no such file. Any thread.
inline FileStamp file_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::int64_t>(status.st_ino), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace carryover
