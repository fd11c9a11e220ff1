// SPDX-License-Identifier: GPL-3.0-or-later
// pretended_cuda_mutant FAULT: does one thing that is wrong on a GPU. pretended_cuda_test.py expects the pretended
// runtime to find each.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/swiglu.h"
#include "tests/pretended_cuda/report.h"

extern "C" void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, uint3*, uint3*,
                                       dim3*, dim3*, int*);

namespace {

constexpr std::size_t bytes = 4096;

char* device_memory() {
  void* memory = nullptr;
  cudaMalloc(&memory, bytes);
  return static_cast<char*>(memory);
}

/// Launches a kernel as nvcc's code does.
void launch(const char* name, unsigned threads, void* argument) {
  static const char function = 0;
  __cudaRegisterFunction(nullptr, &function, nullptr, name, 0, nullptr, nullptr, nullptr, nullptr, nullptr);
  void* arguments[] = {argument};
  cudaLaunchKernel(&function, dim3(1), dim3(threads), arguments, 0, nullptr);
}

/// Launches swiglu on one row of eight values.
void swiglu(const void* input, void* output) {
  carryover::kernels::Swiglu args{input, nullptr, carryover::kernels::Element::Float32, 1, 8, output, false};
  launch("carryover::kernels::swiglu_packs", 256, &args);
}

void nothing_wrong() {
  char* const memory = device_memory();
  char host[bytes] = "text";
  cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost);
  swiglu(memory, memory + bytes / 2);
  cudaFree(memory);
}

void host_dereference() {
  std::printf("%d\n", *const_cast<volatile char*>(device_memory()));
}

void wrong_device() {
  device_memory();
  cudaSetDevice(1);
}

void host_pointer_in_a_kernel() {
  std::vector<float> host(16);
  swiglu(host.data(), device_memory());
}

void beyond_an_allocation() {
  char* const memory = device_memory();
  swiglu(memory, memory + bytes - 4);
}

void freed_memory() {
  char* const memory = device_memory();
  cudaFree(memory);
  cudaMemset(memory, 0, bytes);
}

void wrong_direction() {
  char host[bytes] = {};
  cudaMemcpy(host, device_memory(), bytes, cudaMemcpyHostToDevice);
}

void too_many_threads() {
  device_memory();
  launch("anything", 2048, nullptr);
}

void unchecked_kernel() {
  device_memory();
  launch("carryover::kernels::a_new_one", 32, nullptr);
}

void freed_twice() {
  char* const memory = device_memory();
  cudaFree(memory);
  cudaFree(memory);
}

const std::map<std::string, std::function<void()>> faults = {{"nothing_wrong", nothing_wrong},
                                                             {"host_dereference", host_dereference},
                                                             {"wrong_device", wrong_device},
                                                             {"host_pointer_in_a_kernel", host_pointer_in_a_kernel},
                                                             {"beyond_an_allocation", beyond_an_allocation},
                                                             {"freed_memory", freed_memory},
                                                             {"wrong_direction", wrong_direction},
                                                             {"too_many_threads", too_many_threads},
                                                             {"unchecked_kernel", unchecked_kernel},
                                                             {"freed_twice", freed_twice}};

}  // namespace

int main(int count, char** arguments) {
  const auto fault = faults.find(count == 2 ? arguments[1] : "");
  if (fault == faults.end()) {
    for (const auto& [name, make] : faults) std::puts(name.c_str());
    return 2;
  }
  fault->second();
}
