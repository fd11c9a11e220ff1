// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace carryover {

/// Returns the value of the first line "key : value" of a file of /proc, or an empty text. Any thread.
std::string system_line(const std::string& file, const std::string& key);

/// Returns the bytes that a line "key: 1234 kB" says, or 0 if there is none.
std::int64_t system_bytes(const std::string& file, const std::string& key);

/// Returns the bytes of this process now: "VmRSS", "VmHWM" (the peak so far), "VmSize".
std::int64_t process_bytes(const std::string& key);

/// Returns the machine's memory in bytes, or 0 if Linux does not say it.
std::int64_t machine_memory();

}  // namespace carryover
