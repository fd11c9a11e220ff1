// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carryover::fuzz {

/// Several files in one input: for each its size (uint32, as in memory), then its bytes. A size of 2³² − 1 stands for a
/// file that is not there, and so does the input's end.
inline constexpr std::uint32_t kAbsent = 0xffffffff;
using Sections = std::vector<std::optional<std::string>>;

inline std::string join_sections(const Sections& sections) {
  std::string bytes;
  for (const auto& section : sections) {
    const auto size = section ? static_cast<std::uint32_t>(section->size()) : kAbsent;
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    if (section) bytes += *section;
  }
  return bytes;
}

/// Exactly `count` of them; one that is cut ends where the input does.
inline Sections split_sections(std::string_view bytes, std::size_t count) {
  Sections sections(count);
  for (auto& section : sections) {
    std::uint32_t size = kAbsent;
    if (bytes.size() < sizeof size) break;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size == kAbsent) continue;
    section = bytes.substr(0, size);
    bytes.remove_prefix(section->size());
  }
  return sections;
}

}  // namespace carryover::fuzz
