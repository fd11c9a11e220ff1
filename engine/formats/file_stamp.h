// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace carryover {

/// Which file a path names, as it was written last: another stamp, another file or other contents. A plain value.
struct FileStamp {
  std::int64_t inode = 0, size = -1, seconds = 0, nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;
};

/// The default value where there is no such file. Any thread.
inline FileStamp file_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::int64_t>(status.st_ino), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace carryover
