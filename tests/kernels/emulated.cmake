# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels' device code without a GPU, in small programs of emulated_kernel.cpp. Built with ThreadSanitizer they run
# it on threads, and without each of its barriers. Else they run mutants of it, to show that the checks of kernels_tests
# see what they are for: alignment, and reads of shared memory and of variables that nobody has written.
set(carryover_emulated_checks -fsanitize=undefined,alignment -fno-sanitize-recover=all -ftrivial-auto-var-init=pattern)

function(carryover_emulated_kernel program kernel)
  add_executable(${program} ${CMAKE_CURRENT_SOURCE_DIR}/kernels/emulated_kernel.cpp)
  target_compile_definitions(${program} PRIVATE
    CARRYOVER_KERNEL_RUN="tests/support/kernel_runs/${kernel}.h" CARRYOVER_KERNEL_CASE=${kernel}_case)
  target_link_libraries(${program} PRIVATE carryover_options carryover_kernels Threads::Threads)
  if(CARRYOVER_SANITIZE_THREADS)
    target_compile_definitions(${program} PRIVATE CARRYOVER_ON_THREADS)
  else()
    target_compile_options(${program} PRIVATE ${carryover_emulated_checks})
    target_link_options(${program} PRIVATE -fsanitize=undefined,alignment)
  endif()
endfunction()

# PROGRAM runs KERNEL with `find` in its device code replaced.
function(carryover_mutant program kernel find replacement)
  set(header ${CMAKE_SOURCE_DIR}/kernels/cuda/${kernel}_device.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} code)
  string(REPLACE "${find}" "${replacement}" mutated "${code}")
  if(mutated STREQUAL code)
    message(FATAL_ERROR "${header} has no '${find}' any more: say in kernels/emulated.cmake what ${program} changes.")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/mutants/${program})
  file(GENERATE OUTPUT ${folder}/kernels/cuda/${kernel}_device.h CONTENT "${mutated}")
  carryover_emulated_kernel(${program} ${kernel})
  target_include_directories(${program} BEFORE PRIVATE ${folder})
  target_compile_options(${program} PRIVATE -w)  # compilers see some of it
endfunction()

# A test that passes where PROGRAM prints what the regular expression REPORT says.
function(carryover_expect_report name program cases report)
  string(REGEX REPLACE "/.*" "" label ${name})
  add_test(NAME ${name} COMMAND ${program} ${cases})
  set_tests_properties(${name} PROPERTIES PASS_REGULAR_EXPRESSION "${report}" LABELS ${label} TIMEOUT 300)
endfunction()

if(CARRYOVER_SANITIZE_THREADS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(kernel extend_segment gather_prefix join_rows place_heads rotate_rows swiglu)  # these have no barrier
    carryover_emulated_kernel(emulated_${kernel} ${kernel})
    add_test(NAME threads/${kernel} COMMAND emulated_${kernel} 40)
    list(APPEND thread_checks threads/${kernel})
    add_dependencies(thread_tests emulated_${kernel})
  endforeach()
  foreach(kernel list_attention pool_topk row_attention select_hits)
    carryover_emulated_kernel(emulated_${kernel} ${kernel})
    add_test(NAME threads/${kernel}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/kernels/barriers_test.py
                     $<TARGET_FILE:emulated_${kernel}> ${CMAKE_SOURCE_DIR}/kernels/cuda/${kernel}_device.h 16)
    list(APPEND thread_checks threads/${kernel})
    add_dependencies(thread_tests emulated_${kernel})
  endforeach()
  # Blocks write the partial result of their neighbour.
  carryover_mutant(mutant_blocks row_attention "of_head + blockIdx.x" "of_head + 0")
  carryover_expect_report(threads/mutant_blocks mutant_blocks 40 "ThreadSanitizer: data race")
  add_dependencies(thread_tests mutant_blocks)
  set_tests_properties(${thread_checks} PROPERTIES LABELS threads TIMEOUT 300)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # clang does not look at the alignment of a structure that is copied whole
  set(misaligned "runtime error: (load of|reference binding to) misaligned address")
  carryover_mutant(mutant_precondition rotate_rows "aligned(args.cosine) && aligned(args.sine)" "aligned(args.cosine)")
  carryover_expect_report(kernels/mutant_precondition mutant_precondition 200 "${misaligned}")
  carryover_mutant(mutant_load row_attention "from + threadIdx.x" "from + 1 + threadIdx.x")
  carryover_expect_report(kernels/mutant_load mutant_load 30 "${misaligned}")
  carryover_emulated_kernel(emulated_pool_topk pool_topk)
  carryover_expect_report(kernels/emulated_pool_topk emulated_pool_topk 10 "^0 of 10 cases differ")
  set(differs "[1-9][0-9]* of 10 cases differ")
  set(present "if (present) tile.summaries[c][s] = args.summaries[row * args.head_dim + c];")
  carryover_mutant(mutant_shared pool_topk
    "tile.summaries[c][s] = present ? args.summaries[row * args.head_dim + c] : 0.0f;" "${present}")
  carryover_expect_report(kernels/mutant_shared mutant_shared 10 "${differs}")
  carryover_mutant(mutant_flags select_hits "table.beaten[i] = beaten;" "")
  carryover_expect_report(kernels/mutant_flags mutant_flags 30 "not a valid value for type 'bool'")
  carryover_mutant(mutant_register pool_topk "sums[keys_per_thread][summaries_per_thread] = {}" "sums[keys_per_thread][summaries_per_thread]")
  carryover_expect_report(kernels/mutant_register mutant_register 10 "${differs}")
  # What fills the last step of a list counts as if it were listed again.
  carryover_mutant(mutant_step list_attention "key < present && sees(" "sees(")
  carryover_expect_report(kernels/mutant_step mutant_step 10 "${differs}")
endif()
