// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/mount.h>

#include <cstdint>
#include <string>

#include "tests/support/temp_dir.h"

namespace carryover::test {

/// A disk of its own with room for so many bytes, where this process may mount one: most often as root alone.
class SmallDisk {
 public:
  explicit SmallDisk(std::int64_t bytes) {
    const std::string size = "size=" + std::to_string(bytes);
    mounted_ = ::mount("carryover-test", folder_.path().c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_there() const { return mounted_; }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  TempDir folder_;
  bool mounted_ = false;
};

}  // namespace carryover::test
