// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/fingerprint.h"

namespace carryover::fuzz {

/// A record of a journal without its head: kind, size and fingerprint.
struct Record {
  std::string kind, body;
};

/// Returns the whole records; fingerprints are not checked.
inline std::vector<Record> records_of(std::string_view bytes) {
  constexpr std::size_t kKind = 8, kHead = 24;
  std::vector<Record> records;
  while (bytes.size() >= kHead) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + kKind, sizeof size);
    if (size > bytes.size() - kHead) break;
    records.push_back({std::string(bytes.substr(0, kKind)), std::string(bytes.substr(kHead, size))});
    bytes.remove_prefix(kHead + size);
  }
  return records;
}

/// Returns a journal of the records, with sizes and fingerprints that fit.
inline std::string journal_of(const std::vector<Record>& records) {
  std::string bytes;
  for (const Record& record : records) {
    Fingerprint print;
    print.add(record.body);
    const std::uint64_t numbers[] = {record.body.size(), print.value()};
    bytes += record.kind;
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    bytes += record.body;
  }
  return bytes;
}

}  // namespace carryover::fuzz
