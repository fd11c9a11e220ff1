# SPDX-License-Identifier: GPL-3.0-or-later
# engine/ops under AddressSanitizer and UBSan, and the tests that hold its fast paths against LibTorch:
# their intrinsics, packed operands and pointers are what LibTorch cannot check. LibTorch itself is not instrumented.
include(${CMAKE_SOURCE_DIR}/engine/ops/options.cmake)
file(GLOB runtime_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/runtime/*.cpp)
carryover_test_program(sanitized_tests sanitized
  NAMES engine/largest_products engine/listed_attention engine/ops engine/packed_weight engine/pool_scan engine/prefix_attention engine/weight_halves
  LIBRARIES carryover_core carryover_kernels carryover_torch)
target_sources(sanitized_tests PRIVATE ${CARRYOVER_OPS_SOURCES} ${runtime_sources})
# One program, so that LibTorch's headers are precompiled once; at the tests' -O1, which builds in half the time of -O3.
target_compile_options(sanitized_tests PRIVATE ${CARRYOVER_OPS_WARNINGS}
  -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
target_link_options(sanitized_tests PRIVATE -fsanitize=address,undefined)
target_precompile_headers(sanitized_tests PRIVATE <ATen/ATen.h>)
foreach(name largest_products listed_attention ops packed_weight pool_scan prefix_attention weight_halves)
  set_tests_properties(sanitized/${name} PROPERTIES TIMEOUT 600)
  # LibTorch keeps what it allocates for as long as a process lives. GCC 14's fake stack aligns its frames to less than
  # what vectors of AVX-512 need.
  set_property(TEST sanitized/${name} APPEND PROPERTY ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0")
endforeach()
