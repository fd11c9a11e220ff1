// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

/// Counts the calls of a process to the pretended GPU. When a process that has used the GPU ends, it writes the counts
/// as JSON to the file that PRETENDED_CUDA_REPORT names. Any thread.
namespace carryover::pretended {

enum class Count {
  LibraryCalls,  ///< matrix products of cuBLAS; launches as well
  Waits,         ///< of the host, for a stream, an event, the device or a copy
  CopiesToDevice,
  CopiesToHost,
  CopiesOnDevice,
  Fills,
  Allocations,  ///< on the device, and page-locked ones of the host, which wait for it too
};
void count(Count what);

/// Counts a launch under the kernel's name, mangled or not.
void count_launch(const std::string& kernel);

/// Notes a call that a GPU would refuse, or that would do harm on one.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);

}  // namespace carryover::pretended

/// Functions for programs and libraries that are linked with the real CUDA, or with none.
extern "C" {
/// Keeps all counts as they are now under a name, beside those at the end.
void pretended_cuda_mark(const char* name);
/// A matrix product was launched.
void pretended_cuda_launch(const char* name);
/// Complains unless [pointer, pointer + bytes) is device memory that is held.
void pretended_cuda_check(const char* what, const void* pointer, std::int64_t bytes);
/// Complains of a function that nobody has pretended.
void pretended_cuda_missing(const char* function);
}
