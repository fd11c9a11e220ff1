# SPDX-License-Identifier: GPL-3.0-or-later
# Finds nvcc (CARRYOVER_CUDA_DIR, else PATH) and sets what all CUDA targets share. Compiling needs no GPU.
if(CARRYOVER_SANITIZE)
  message(FATAL_ERROR "CARRYOVER_BUILD_CUDA and CARRYOVER_SANITIZE exclude each other: nvcc knows no sanitizers.")
endif()

if(CARRYOVER_CUDA_DIR)
  set(CMAKE_CUDA_COMPILER ${CARRYOVER_CUDA_DIR}/bin/nvcc)
else()
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin)
endif()
if(NOT EXISTS "${CMAKE_CUDA_COMPILER}")
  message(FATAL_ERROR "There is no nvcc at CARRYOVER_CUDA_DIR='${CARRYOVER_CUDA_DIR}' nor on PATH. `./lab cuda` fetches "
                      "it; or build without: -DCARRYOVER_BUILD_CUDA=OFF")
endif()

set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # sm_80, sm_90 and PTX of compute_90 for what comes after
if(CARRYOVER_CCACHE)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CARRYOVER_CCACHE})
endif()
enable_language(CUDA)

# Not find_package(CUDAToolkit): CMake 3.25's fails on a toolkit that has the compiler's parts only.
file(REAL_PATH ${CMAKE_CUDA_COMPILER} _nvcc)
cmake_path(GET _nvcc PARENT_PATH _toolkit)
cmake_path(GET _toolkit PARENT_PATH _toolkit)
find_library(CARRYOVER_CUDART cudart REQUIRED NO_DEFAULT_PATH
             PATHS ${_toolkit}/lib64 ${_toolkit}/lib ${_toolkit}/targets/x86_64-linux/lib)
add_library(carryover_cudart INTERFACE)
target_include_directories(carryover_cudart SYSTEM INTERFACE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(carryover_cudart INTERFACE ${CARRYOVER_CUDART})

function(carryover_cuda_target target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow
      $<$<BOOL:${CARRYOVER_WERROR}>:-Werror=all-warnings -Xcompiler=-Werror>>)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE carryover_cudart)
endfunction()
