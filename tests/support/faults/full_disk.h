// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <mutex>
#include <string>

namespace carryover::test {

/// While it lives, writes at a place of a file below `folder` find no room. The program that uses it defines pwrite by
/// full_disk_pwrite(). Any thread.
class FullDisk {
 public:
  explicit FullDisk(std::string folder) { set(std::move(folder)); }
  ~FullDisk() { set({}); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

  static bool holds(int descriptor) {
    const std::lock_guard lock(mutex());
    if (place().empty()) return false;
    char path[PATH_MAX];
    const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
    return length > 0 && std::string_view(path, static_cast<std::size_t>(length)).starts_with(place());
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::string& place() {
    static std::string one;
    return one;
  }
  static void set(std::string folder) {
    const std::lock_guard lock(mutex());
    place() = std::move(folder);
  }
};

inline ssize_t full_disk_pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
  using Pwrite = ssize_t (*)(int, const void*, std::size_t, off_t);
  static const auto real = reinterpret_cast<Pwrite>(::dlsym(RTLD_NEXT, "pwrite"));
  if (!FullDisk::holds(descriptor)) return real(descriptor, bytes, count, offset);
  errno = ENOSPC;
  return -1;
}

}  // namespace carryover::test
