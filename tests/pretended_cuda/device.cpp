// SPDX-License-Identifier: GPL-3.0-or-later
// The one device, and errors.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

#include "tests/pretended_cuda/report.h"
#include "tests/pretended_cuda/status.h"

namespace carryover::pretended {

namespace {

constexpr int version = 13000, threads_per_block = 1024, multiprocessors = 132;

thread_local cudaError_t last = cudaSuccess;

/// Returns true if a call may name this device; else complains.
bool is_there(int device, const char* function) {
  if (device != 0) complain("%s: there is no device %d", function, device);
  return device == 0;
}

}  // namespace

cudaError_t passed_on(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

}  // namespace carryover::pretended

using namespace carryover::pretended;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return passed_on(is_there(device, "cudaSetDevice") ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int* found) {
  *found = version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* found) {
  *found = version;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_there(device, "cudaGetDeviceProperties")) return passed_on(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "NVIDIA H100 (pretended)");
  properties->major = 9;
  properties->multiProcessorCount = multiprocessors;
  std::size_t free = 0;
  cudaMemGetInfo(&free, &properties->totalGlobalMem);
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = threads_per_block;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->maxBlocksPerMultiProcessor = 32;
  properties->sharedMemPerBlock = 48 << 10;
  properties->sharedMemPerBlockOptin = 227 << 10;
  properties->sharedMemPerMultiprocessor = 228 << 10;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = threads_per_block;
  properties->maxThreadsDim[2] = 64;
  properties->l2CacheSize = 50 << 20;
  properties->memoryBusWidth = 5120;
  properties->textureAlignment = 512;
  properties->unifiedAddressing = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (const cudaError_t status = cudaGetDeviceProperties(&p, device); status != cudaSuccess) return status;
  const std::pair<cudaDeviceAttr, std::size_t> known[] = {
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin},
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      {cudaDevAttrL2CacheSize, p.l2CacheSize},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor}};
  *value = 0;  // also of capabilities that it lacks
  for (const auto& [name, size] : known)
    if (name == attribute) *value = static_cast<int>(size);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
  return passed_on(is_there(device, "cudaDeviceGetPCIBusId") ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  const cudaError_t status = last;
  last = cudaSuccess;
  return status;
}

cudaError_t cudaPeekAtLastError() {
  return last;
}

const char* cudaGetErrorName(cudaError_t status) {
  static thread_local char text[40];
  std::snprintf(text, sizeof text, "pretended CUDA error %d", static_cast<int>(status));
  return text;
}

const char* cudaGetErrorString(cudaError_t status) {
  return cudaGetErrorName(status);
}

/// Functions of the driver are looked up ahead; of none is known that it is called.
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  *function = reinterpret_cast<void*>(+[] {
    pretended_cuda_missing("a function of the driver");
    return static_cast<int>(cudaErrorNotSupported);
  });
  if (result != nullptr) *result = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}
}
