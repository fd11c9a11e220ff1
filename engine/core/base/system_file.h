// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace carryover {

/// What Linux says in a file of /proc: the value of its first line "key : value", or nothing. Any thread.
std::string system_line(const std::string& file, const std::string& key);

/// Of a line "key: 1234 kB", in bytes; 0 where there is none.
std::int64_t system_bytes(const std::string& file, const std::string& key);

/// Of this process now: "VmRSS", "VmHWM" (the most so far), "VmSize".
std::int64_t process_bytes(const std::string& key);

/// Of the machine, in bytes; 0 where Linux does not say.
std::int64_t machine_memory();

}  // namespace carryover
