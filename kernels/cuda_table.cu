// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "kernels/cuda_table.h"

namespace {
const char* status_text(carryover::kernels::Status status) {
  return cudaGetErrorString(static_cast<cudaError_t>(status));
}

void next_range(const char* name) {
  thread_local bool open = false;
  if (open) nvtxRangePop();
  open = name != nullptr;
  if (open) nvtxRangePushA(name);
}
}  // namespace

extern "C" const carryover::kernels::CudaKernels* carryover_cuda_kernels() {
  using namespace carryover::kernels;
  static constexpr CudaKernels table = {
      cuda_abi_version, pool_topk_workspace_bytes, pool_topk, gather_prefix, rope_prefix, status_text, next_range};
  return &table;
}
