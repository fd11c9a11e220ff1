// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/resource.h>

#include "engine/base/system_file.h"

namespace carryover::test {

/// While it lives, this process gets no more than `bytes` beside what it has: what a small machine looks like.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{static_cast<rlim_t>(process_bytes("VmSize") + bytes), before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace carryover::test
