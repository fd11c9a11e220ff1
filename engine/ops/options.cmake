# SPDX-License-Identifier: GPL-3.0-or-later
# Sources and flags of the CPU code of engine/ops, one set for all of them: templates that two files instantiate are the
# same code, whichever the linker keeps. Shared with the sanitized build.
file(GLOB CARRYOVER_OPS_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/ops/*.cpp
     ${CMAKE_SOURCE_DIR}/engine/ops/cpu/*.cpp ${CMAKE_SOURCE_DIR}/engine/ops/cuda/*.cpp)
set(CARRYOVER_OPS_SPEED
  # g++ 12 vectorises loops of unknown length at -O3 only: bf16 prefill of SmolLM2 is 1.2 times as fast for it. And loops
  # with a condition for AVX2 only where nobody watches the processor's exceptions: a softmax is 5 times as fast for it.
  "$<$<NOT:$<CONFIG:Debug>>:-O3;-fno-trapping-math>")
set(CARRYOVER_OPS_WARNINGS
  # It takes its own AVX-512 intrinsics for uninitialised (GCC bug 105593).
  -Wno-uninitialized -Wno-maybe-uninitialized)
