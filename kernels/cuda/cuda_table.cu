// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda_table.h"

#if __has_include(<nvtx3/nvToolsExt.h>)  // the CUDA Toolkit has it, its compiler alone does not
#include <nvtx3/nvToolsExt.h>
#define CARRYOVER_NVTX
#endif

namespace {
const char* status_text(carryover::kernels::Status status) {
  return cudaGetErrorString(static_cast<cudaError_t>(status));
}

#ifdef CARRYOVER_NVTX
void next_range(const char* name) {
  thread_local bool open = false;
  if (open) nvtxRangePop();
  open = name != nullptr;
  if (open) nvtxRangePushA(name);
}
#else
void next_range(const char*) {}
#endif
}  // namespace

extern "C" const carryover::kernels::CudaKernels* carryover_cuda_kernels() {
  using namespace carryover::kernels;
  static constexpr CudaKernels table = {cuda_abi_version, pool_topk_workspace_bytes,
                                        pool_topk,        select_hits,
                                        gather_prefix,    rotate_rows,
                                        swiglu,           swiglu_backward,
                                        join_rows,        place_heads,
                                        extend_segment,   row_attention_workspace_bytes,
                                        row_attention,    list_attention_workspace_bytes,
                                        list_attention,   status_text,
                                        next_range};
  return &table;
}
