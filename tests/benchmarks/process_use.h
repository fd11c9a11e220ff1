// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/base/system_file.h"

namespace carryover::bench {

/// A line of /proc/self/status in MiB, such as "VmRSS" (now) or "VmHWM" (the most so far).
inline double process_mib(const std::string& name) {
  return static_cast<double>(process_bytes(name)) / (1 << 20);
}

/// Milliseconds of the processor that the calling thread has used.
inline double own_cpu_ms() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// Seconds of the processor that one thread of this process has used; the main thread's id is the process's.
inline double thread_seconds(int thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  std::istringstream fields(line.substr(line.rfind(')') + 2));  // a name may hold spaces
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace carryover::bench
