// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>

/// What the fuzz targets share. One thread.
namespace carryover::fuzz {

using Random = std::mt19937;

/// Ends the program, which the fuzzer reports with the input, where something that must hold does not.
void require(bool holds, const char* what);

/// Runs `action`. True where it returned, false where it threw an EngineError that a file can cause. An EngineError of
/// ours (Fault::Internal) and any other exception are findings.
bool accepts(const std::function<void()>& action);

/// A new folder in memory of this process.
const std::string& scratch_folder();
void write_file(const std::string& path, std::string_view bytes);

/// libFuzzer's own mutation of some bytes, which may grow to `most`.
std::string mutate_bytes(std::string bytes, std::size_t most);

/// Puts `bytes` where a custom mutator must leave them: cut to `most`. Returns their size.
std::size_t deliver(std::string_view bytes, std::uint8_t* data, std::size_t most);

inline std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

}  // namespace carryover::fuzz
