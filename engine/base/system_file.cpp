// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/system_file.h"

#include <cstdlib>
#include <fstream>

namespace carryover {

std::string system_line(const std::string& file, const std::string& key) {
  constexpr const char* blanks = " \t";
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t colon = line.find_first_not_of(blanks, key.size());
    if (colon == std::string::npos || line[colon] != ':') continue;  // a longer key
    const std::size_t value = line.find_first_not_of(blanks, colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

std::int64_t system_bytes(const std::string& file, const std::string& key) {
  return std::strtoll(system_line(file, key).c_str(), nullptr, 10) * 1024;
}

std::int64_t process_bytes(const std::string& key) {
  return system_bytes("/proc/self/status", key);
}

std::int64_t machine_memory() {
  return system_bytes("/proc/meminfo", "MemTotal");
}

}  // namespace carryover
