// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

namespace carryover::test {

/// Damages files the way disks, transfers and attackers do; the same seed gives the same mutants.
class Mutator {
 public:
  /// Most damage goes into the first `header_bytes`, where the structure is.
  Mutator(std::string original, std::size_t header_bytes, unsigned seed)
      : original_(std::move(original)), header_bytes_(std::min(header_bytes, original_.size())), random_(seed) {}

  std::string next() {
    std::string mutant = original_;
    const int edits = below(8) == 0 ? 1 + static_cast<int>(below(6)) : 1;
    for (int i = 0; i < edits && !mutant.empty(); ++i) edit(mutant);
    return mutant;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  std::size_t place(const std::string& bytes) {
    const bool anywhere = below(10) == 0;
    return below(std::min(bytes.size(), anywhere ? bytes.size() : std::max<std::size_t>(header_bytes_, 1)));
  }

  void edit(std::string& bytes) {
    const std::size_t at = place(bytes);
    switch (below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        return;
      case 1:
        bytes.resize(at);
        return;
      case 2:
        bytes.erase(at, 1 + below(16));
        return;
      case 3:
        bytes.insert(at, bytes.substr(place(bytes), 1 + below(32)));
        return;
      case 4:
        splice(bytes, at);
        return;
      case 5:
        set_binary(bytes, at);
        return;
      default:
        set_digits(bytes, at);
        return;
    }
  }

  void splice(std::string& bytes, std::size_t to) {
    const std::size_t from = place(bytes);
    const std::size_t count = std::min(1 + below(64), bytes.size() - std::max(from, to));
    std::memmove(bytes.data() + to, bytes.data() + from, count);
  }

  /// Overwrites a little-endian number with one that sits on an edge.
  void set_binary(std::string& bytes, std::size_t at) {
    static constexpr std::uint64_t kEdges[] = {0,
                                               1,
                                               2,
                                               7,
                                               31,
                                               33,
                                               255,
                                               0x7fff,
                                               0xffff,
                                               0x7fffffff,
                                               0xffffffff,
                                               1ull << 32,
                                               1ull << 62,
                                               0x7fffffffffffffff,
                                               0x8000000000000000,
                                               0xffffffffffffffff};
    const std::uint64_t value = kEdges[below(std::size(kEdges))];
    const std::size_t width = std::min<std::size_t>(std::size_t{1} << below(4), bytes.size() - at);
    std::memcpy(bytes.data() + at, &value, width);
  }

  /// Replaces the next run of digits by another number.
  void set_digits(std::string& bytes, std::size_t at) {
    static constexpr const char* kNumbers[] = {"0",
                                               "1",
                                               "-1",
                                               "3",
                                               "64",
                                               "1e5",
                                               "0.5",
                                               "1e999",
                                               "2147483648",
                                               "4294967296",
                                               "9223372036854775807",
                                               "18446744073709551615",
                                               "99999999999999999999999",
                                               "null",
                                               "true",
                                               "\"x\"",
                                               "[]",
                                               "{}"};
    const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    const auto begin = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), digit);
    const auto end = std::find_if_not(begin, bytes.end(), digit);
    bytes.replace(begin, end, kNumbers[below(std::size(kNumbers))]);
  }

  std::string original_;
  std::size_t header_bytes_;
  std::mt19937 random_;
};

}  // namespace carryover::test
