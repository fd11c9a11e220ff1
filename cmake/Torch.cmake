# SPDX-License-Identifier: GPL-3.0-or-later
# The CPU half of LibTorch as an imported target: libtorch_cpu and libc10 stand alone, with cudart and cupti beside
# them (docs/adr/0002-cpu-half-of-libtorch.md). Nothing of Python and nothing of CUDA's libraries is linked. LibTorch
# finds cudart and cupti by itself: ../../nvidia/cu13/lib from where it lies, in the cache and in a package alike.
if(CARRYOVER_BUILD_ENGINE)
  if(NOT EXISTS ${CARRYOVER_TORCH_DIR}/torch/lib/libtorch_cpu.so)
    message(FATAL_ERROR "LibTorch is not at CARRYOVER_TORCH_DIR='${CARRYOVER_TORCH_DIR}'. "
                        "`./lab build` fetches it and sets this; or build without: -DCARRYOVER_BUILD_ENGINE=OFF")
  endif()
  find_package(OpenMP REQUIRED)  # the library that LibTorch's own loops run on: one pool of threads for both
  set(_torch ${CARRYOVER_TORCH_DIR}/torch)
  set(_nvidia ${CARRYOVER_TORCH_DIR}/nvidia/cu13/lib)

  add_library(carryover_torch INTERFACE)
  target_include_directories(carryover_torch SYSTEM INTERFACE
    ${_torch}/include ${_torch}/include/torch/csrc/api/include)
  target_link_directories(carryover_torch INTERFACE ${_torch}/lib ${_nvidia})
  target_link_libraries(carryover_torch INTERFACE ${_torch}/lib/libtorch_cpu.so ${_torch}/lib/libc10.so
    OpenMP::OpenMP_CXX)
  target_link_options(carryover_torch INTERFACE
    -Wl,-rpath-link,${_nvidia} -Wl,--allow-shlib-undefined)
  target_compile_definitions(carryover_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
endif()
