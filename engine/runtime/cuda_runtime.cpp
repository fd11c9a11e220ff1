// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/cuda_runtime.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/headeronly/version.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "engine/base/error.h"

namespace carryover::ops {

namespace {

namespace fs = std::filesystem;

const kernels::CudaKernels* opened_kernels = nullptr;
const kernels::CudaKernels* replaced_kernels = nullptr;
bool replaced_everywhere = false;

/// Returns the folder of the library that holds `symbol`.
fs::path folder_of(const void* symbol) {
  Dl_info info{};
  CARRYOVER_CHECK(dladdr(symbol, &info) != 0 && info.dli_fname != nullptr);
  return fs::absolute(info.dli_fname).parent_path();
}

fs::path engine_folder() {
  return folder_of(reinterpret_cast<const void*>(&open_cuda));
}

fs::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

/// Returns the folder for user data, or an empty path.
fs::path user_data_folder() {
  const fs::path chosen = environment_path("XDG_DATA_HOME"), home = environment_path("HOME");
  if (chosen.is_absolute()) return chosen;
  return home.is_absolute() ? home / ".local/share" : fs::path();
}

/// Returns the folders that may have a torch/lib/libtorch_cuda.so. What `carryover setup-cuda` fetches is named for its
/// LibTorch version, so that an update never opens the old one.
std::vector<fs::path> torch_folders() {
  if (const fs::path chosen = environment_path("CARRYOVER_TORCH_DIR"); !chosen.empty()) return {fs::absolute(chosen)};
  const char* fetched = "libtorch-cuda-" TORCH_VERSION;
  std::vector<fs::path> folders{folder_of(reinterpret_cast<const void*>(&at::globalContext)) / "../..",
                                engine_folder() / fetched};
  if (const fs::path data = user_data_folder(); !data.empty()) folders.push_back(data / "carryover" / fetched);
  return folders;
}

/// Returns LibTorch's CUDA library, the library that it opens by bare name if it is not beside the CPU half, and the
/// project's kernels.
std::vector<fs::path> cuda_libraries(const fs::path& torch_cuda) {
  return {torch_cuda, torch_cuda.parent_path() / "libcaffe2_nvrtc.so", engine_folder() / "libcarryover_cuda.so"};
}

}  // namespace

std::string find_torch_cuda() {
  for (const fs::path& folder : torch_folders()) {
    std::error_code ignored;
    const fs::path library = fs::canonical(folder / "torch/lib/libtorch_cuda.so", ignored);
    if (!library.empty()) return library.string();
  }
  return {};
}

bool open_cuda(std::string& why_not) {
  if (opened_kernels) return true;
  if (!std::filesystem::exists("/proc/driver/nvidia/version") && !std::filesystem::exists("/dev/nvidiactl")) {
    why_not = "no NVIDIA driver is loaded on this machine";
    return false;
  }
  const std::string how_to_get_them = "`carryover setup-cuda` fetches them; in a checkout, `./lab cuda` does";
  const std::string torch_cuda = find_torch_cuda();
  if (torch_cuda.empty()) {
    why_not = "LibTorch's CUDA libraries are not there; " + how_to_get_them;
    return false;
  }
  void* plugin = nullptr;
  for (const fs::path& library : cuda_libraries(torch_cuda)) {
    plugin = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!plugin) {
      why_not = std::string("a CUDA library can't be opened (") + dlerror() + "); " + how_to_get_them;
      return false;
    }
  }
  const auto table = reinterpret_cast<kernels::CudaKernelsFunction>(dlsym(plugin, kernels::cuda_kernels_symbol));
  if (!table || table()->abi_version != kernels::cuda_abi_version) {
    why_not = "libcarryover_cuda.so is of another version than this program; install or build both together";
    return false;
  }
  opened_kernels = table();
  if (!at::globalContext().hasCUDA()) {
    opened_kernels = nullptr;
    why_not = "the driver sees no usable GPU";
    return false;
  }
  at::globalContext().lazyInitDevice(at::kCUDA);  // memory is queried before the first tensor is made
  return true;
}

void replace_cuda_kernels(const kernels::CudaKernels* kernels, bool everywhere) {
  replaced_kernels = kernels;
  replaced_everywhere = everywhere;
}

bool takes_kernels(c10::Device device) {
  return !device.is_cpu() || replaced_everywhere;
}

const kernels::CudaKernels& cuda_kernels() {
  if (replaced_kernels != nullptr) return *replaced_kernels;
  CARRYOVER_CHECK(opened_kernels != nullptr);
  return *opened_kernels;
}

kernels::Element element_of(c10::ScalarType type) {
  if (type == c10::kFloat) return kernels::Element::Float32;
  if (type == c10::kBFloat16) return kernels::Element::BFloat16;
  CARRYOVER_CHECK(type == c10::kDouble);
  return kernels::Element::Float64;
}

kernels::Stream current_stream(c10::Device device) {
  if (device.is_cpu()) return nullptr;
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
