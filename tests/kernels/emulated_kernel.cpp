// SPDX-License-Identifier: GPL-3.0-or-later
// emulated_KERNEL CASES [LINE]: runs that many cases of a kernel's device code on this CPU and compares the results
// with the reference's. Exit: 0 all agree, 1 not, 2 wrong usage. The build says which kernel, and how it runs: one
// coroutine after the other or, where the barrier of LINE may be left out, on threads (emulated.cmake).
#include <charconv>
#include <cstdio>
#include <string_view>

#ifdef CARRYOVER_ON_THREADS
#include "tests/support/kernels/cuda_on_threads.h"
#else
#include "tests/support/kernels/cuda_on_cpu.h"
#endif
// The kernel needs the names that these give it.
#include CARRYOVER_KERNEL_RUN

using namespace carryover;

namespace {

bool parse(std::string_view word, int& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number > 0;
}

}  // namespace

int main(int argc, char** argv) {
  int cases = 0;
#ifdef CARRYOVER_ON_THREADS
  const bool understood =
      (argc == 2 || (argc == 3 && parse(argv[2], cuda_on_cpu::left_out_line))) && parse(argv[1], cases);
#else
  const bool understood = argc == 2 && parse(argv[1], cases);
#endif
  if (!understood) {
    std::fprintf(stderr, "usage: %s CASES [LINE]\n", argv[0]);
    return 2;
  }
  int tried = 0, differ = 0;
  for (int n = 0; n < kernel_cases::case_count && tried < cases; ++n) {
    const auto c = kernel_cases::CARRYOVER_KERNEL_CASE(n);
    if (!kernel_runs::runs_soon(c)) continue;
    ++tried;
    differ += !kernel_runs::agrees(c, n);
  }
  std::printf("%d of %d cases differ\n", differ, tried);
  return tried == cases && differ == 0 ? 0 : 1;
}
