// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace carryover {

/// FNV-1a, 64 bits. It distinguishes contents, but does not protect against deliberate collisions. One thread.
class Fingerprint {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) state_ = (state_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::uint64_t value() const { return state_; }
  /// Returns 16 hex digits.
  std::string hex() const {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
    return text;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace carryover
