# SPDX-License-Identifier: GPL-3.0-or-later
# Warnings, sanitizers, the linker and ccache for the project's own targets: link `carryover_options`.
add_library(carryover_options INTERFACE)
target_include_directories(carryover_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(carryover_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor $<$<BOOL:${CARRYOVER_WERROR}>:-Werror>
    # g++ 12 sees overlaps and ends in "text" + std::to_string(n) that are not there (GCC bugs 105329, 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
    # In a unity build a file's private names are seen by its neighbours; builds of dev and lint check both.
    $<$<BOOL:${CMAKE_UNITY_BUILD}>:-Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>>>)

if(CARRYOVER_SHORT_PATHS)  # sources name themselves in messages: by the path in the checkout
  target_compile_options(carryover_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>)
  # ccache takes no notice of this option, and would give objects of another build: a definition it does see.
  target_compile_definitions(carryover_options INTERFACE CARRYOVER_SHORT_PATHS)
endif()

find_program(CARRYOVER_CCACHE ccache)
if(CARRYOVER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CARRYOVER_CCACHE})
endif()

find_program(CARRYOVER_LLD ld.lld)
if(CARRYOVER_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# A file that breaks a parser's memory is to end the program, not to take it over. Sanitizers find more by themselves,
# and nvcc's host code keeps the compiler's defaults.
if(NOT CARRYOVER_SANITIZE AND NOT CARRYOVER_SANITIZE_THREADS)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
  add_link_options(-Wl,-z,relro,-z,now)
endif()

if(CARRYOVER_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CARRYOVER_BUILD_ENGINE OR CARRYOVER_BUILD_GUI)
    add_compile_options(-fno-sanitize=vptr)  # Qt and LibTorch export no type information of some classes
  endif()
endif()

if(CARRYOVER_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

if(CARRYOVER_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)  # what the code reaches guides the fuzzer
endif()

# A library of headers alone: its CMake package, or the headers by themselves where CMAKE_PREFIX_PATH or
# CMAKE_INCLUDE_PATH has them (copied to a machine that has no such package).
function(carryover_header_library package target header)
  find_package(${package} QUIET)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL ON)
    return()
  endif()
  find_path(CARRYOVER_${package}_INCLUDE ${header} REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${CARRYOVER_${package}_INCLUDE})
endfunction()

# In a unity build a file with a tr() of its own, which says the context of its texts, is compiled by itself.
function(carryover_skip_unity_of_own_tr)
  foreach(source ${ARGN})
    file(STRINGS ${source} own REGEX "^(QString|std::string) tr\\(const char")
    if(own)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()
