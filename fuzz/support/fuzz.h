// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>

/// Functions that the fuzz targets share. One thread.
namespace carryover::fuzz {

using Random = std::mt19937;

/// Ends the program if a condition that must hold does not; the fuzzer then reports the input.
void require(bool holds, const char* what);

/// Runs `action`. Returns true where it returned, false where it threw an EngineError that a file can cause. Any other
/// EngineError (Fault::Internal) or exception is a finding.
bool accepts(const std::function<void()>& action);

/// Returns a new folder in memory for this process.
const std::string& scratch_folder();
void write_file(const std::string& path, std::string_view bytes);

/// Returns libFuzzer's own mutation of some bytes, which may grow to `most`.
std::string mutate_bytes(std::string bytes, std::size_t most);

/// Copies `bytes`, cut to `most`, to the place where a custom mutator must leave them. Returns their size.
std::size_t deliver(std::string_view bytes, std::uint8_t* data, std::size_t most);

inline std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

}  // namespace carryover::fuzz
