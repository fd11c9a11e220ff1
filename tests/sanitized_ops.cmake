# SPDX-License-Identifier: GPL-3.0-or-later
# engine/ops with its own flags under AddressSanitizer and UBSan, and the tests that hold its fast paths against LibTorch:
# their intrinsics, packed operands and pointers are what LibTorch cannot check. LibTorch itself is not instrumented.
include(${CMAKE_SOURCE_DIR}/engine/ops/options.cmake)
file(GLOB runtime_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/runtime/*.cpp)
add_library(carryover_ops_sanitized STATIC ${CARRYOVER_OPS_SOURCES} ${runtime_sources})
target_compile_options(carryover_ops_sanitized PRIVATE ${CARRYOVER_OPS_OPTIONS} PUBLIC
  -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
  -Wno-uninitialized -Wno-maybe-uninitialized)  # g++ 12 warns of what its sanitizers add
target_link_options(carryover_ops_sanitized PUBLIC -fsanitize=address,undefined)
target_link_libraries(carryover_ops_sanitized PUBLIC carryover_core carryover_kernels carryover_torch)
target_precompile_headers(carryover_ops_sanitized PRIVATE <ATen/ATen.h>)

carryover_test_program(sanitized_tests sanitized
  NAMES engine/largest_products engine/ops engine/packed_weight engine/pool_scan engine/prefix_attention engine/weight_halves
  LIBRARIES carryover_ops_sanitized)
target_precompile_headers(sanitized_tests PRIVATE <ATen/ATen.h>)
foreach(name largest_products ops packed_weight pool_scan prefix_attention weight_halves)
  set_tests_properties(sanitized/${name} PROPERTIES TIMEOUT 600)
  # LibTorch keeps what it allocates for as long as a process lives.
  set_property(TEST sanitized/${name} APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
endforeach()
