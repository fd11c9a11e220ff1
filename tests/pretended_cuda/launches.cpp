// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels and their launches: checked, counted, and not run.
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/pretended_cuda/kernel_arguments.h"
#include "tests/pretended_cuda/report.h"
#include "tests/pretended_cuda/status.h"

namespace carryover::pretended {

namespace {

constexpr std::size_t shared_bytes = 48 << 10, most_shared_bytes = 227 << 10;

struct Kernel {
  std::string name;
  std::size_t shared_bytes_allowed = shared_bytes;
};

struct Launch {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// The kernels by the address of the function that launches them. Never freed: a kernel's handle is its address here.
class Kernels {
 public:
  void add(const void* function, const char* name) {
    const std::scoped_lock lock(mutex_);
    kernels_.try_emplace(function, std::make_unique<Kernel>(Kernel{name}));
  }
  Kernel* find(const void* function) const {
    const std::scoped_lock lock(mutex_);
    const auto found = kernels_.find(function);
    return found == kernels_.end() ? nullptr : found->second.get();
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::unique_ptr<Kernel>> kernels_;
};

Kernels& kernels() {
  static Kernels& instance = *new Kernels;
  return instance;
}

/// The configurations that <<<…>>> leaves for the launch behind it.
thread_local std::vector<Launch> pending;

bool fits(const Launch& launch) {
  constexpr unsigned most_rows = 65535, most_threads = 1024, most_deep = 64;
  const dim3 grid = launch.grid, block = launch.block;
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  return grid.x >= 1 && grid.x <= 0x7fffffffu && grid.y >= 1 && grid.y <= most_rows && grid.z >= 1 &&
         grid.z <= most_rows && threads >= 1 && threads <= most_threads && block.z <= most_deep;
}

cudaError_t run(const Kernel* kernel, const Launch& launch, void** arguments) {
  if (kernel == nullptr) {
    complain("a kernel was launched that no library has registered");
    return passed_on(cudaErrorInvalidDeviceFunction);
  }
  const char* const name = kernel->name.c_str();
  count_launch(kernel->name);
  if (!fits(launch)) {
    const dim3 grid = launch.grid, block = launch.block;
    complain("%s: grid %u, %u, %u of blocks of %u, %u, %u threads", name, grid.x, grid.y, grid.z, block.x, block.y,
             block.z);
    return passed_on(cudaErrorInvalidConfiguration);
  }
  if (launch.shared_bytes > kernel->shared_bytes_allowed) {
    complain("%s: %zu bytes of shared memory, of %zu", name, launch.shared_bytes, kernel->shared_bytes_allowed);
    return passed_on(cudaErrorInvalidValue);
  }
  check_arguments(kernel->name, arguments);
  return cudaSuccess;
}

}  // namespace

}  // namespace carryover::pretended

using namespace carryover::pretended;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
char __cudaInitModule(void**) {
  return 1;
}

void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  kernels().add(function, name);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(kernels().find(function));
  return cudaSuccess;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  pending.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (pending.empty()) return passed_on(cudaErrorMissingConfiguration);
  const Launch launch = pending.back();
  pending.pop_back();
  *grid = launch.grid, *block = launch.block, *shared = launch.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = launch.stream;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return run(reinterpret_cast<const Kernel*>(kernel), {grid, block, shared, stream}, arguments);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return run(kernels().find(function), {grid, block, shared, stream}, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* function, void** arguments) {
  return run(kernels().find(function), {c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream}, arguments);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 64;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = most_shared_bytes;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  Kernel* const kernel = kernels().find(function);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || kernel == nullptr) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > most_shared_bytes) {
    complain("%s: %d bytes of shared memory are more than there are", kernel->name.c_str(), value);
    return passed_on(cudaErrorInvalidValue);
  }
  kernel->shared_bytes_allowed = static_cast<std::size_t>(value);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t, unsigned) {
  *blocks = 2;
  return cudaSuccess;
}
}
