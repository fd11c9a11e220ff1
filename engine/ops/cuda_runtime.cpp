// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cuda_runtime.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "engine/core/error.h"

namespace carryover::ops {

namespace {

const kernels::CudaKernels* opened_kernels = nullptr;

std::string folder_of_this_library() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&open_cuda), &info);
  return std::filesystem::path(info.dli_fname).parent_path().string();
}

/// $CARRYOVER_TORCH_DIR, or where the engine was built against.
std::string torch_folder() {
  const char* chosen = std::getenv("CARRYOVER_TORCH_DIR");
  return chosen && *chosen ? chosen : CARRYOVER_TORCH_DIR;
}

}  // namespace

bool open_cuda(std::string& why_not) {
  if (opened_kernels) return true;
  if (!std::filesystem::exists("/proc/driver/nvidia/version") && !std::filesystem::exists("/dev/nvidiactl")) {
    why_not = "no NVIDIA driver is loaded on this machine";
    return false;
  }
  const std::string torch = torch_folder() + "/torch/lib/libtorch_cuda.so";
  const std::string plugin = folder_of_this_library() + "/libcarryover_cuda.so";
  for (const std::string& library : {torch, plugin}) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!handle) {
      why_not = std::string("the CUDA parts are not there (") + dlerror() + "); `./lab cuda` fetches and builds them";
      return false;
    }
    if (library == plugin) {
      const auto table = reinterpret_cast<kernels::CudaKernelsFunction>(dlsym(handle, kernels::cuda_kernels_symbol));
      if (!table || table()->abi_version != kernels::cuda_abi_version) {
        why_not = plugin + " is of another version; `./lab cuda` rebuilds it";
        return false;
      }
      opened_kernels = table();
    }
  }
  if (!at::globalContext().hasCUDA()) {
    opened_kernels = nullptr;
    why_not = "the driver sees no usable GPU";
    return false;
  }
  return true;
}

const kernels::CudaKernels& cuda_kernels() {
  CARRYOVER_CHECK(opened_kernels != nullptr);
  return *opened_kernels;
}

kernels::Stream current_stream(c10::Device device) {
  const c10::impl::VirtualGuardImpl guard(device.type());
  return guard.getStream(device).native_handle();
}

void check_cuda(kernels::Status status, const char* kernel) {
  constexpr kernels::Status kOutOfMemory = 2;  // cudaErrorMemoryAllocation
  if (status == 0) return;
  throw EngineError(status == kOutOfMemory ? Fault::OutOfMemory : Fault::Internal, kernel,
                    std::string("the GPU reported: ") + cuda_kernels().status_text(status),
                    status == kOutOfMemory ? "Choose a smaller segment_length, pool_on_host, or --device cpu."
                                           : "Run with --device cpu, and report this with the GPU's model and driver.");
}

}  // namespace carryover::ops
