// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/pool_topk_device.h"

namespace carryover::kernels {

std::int64_t pool_topk_workspace_bytes(const PoolTopk& args) {
  const std::int64_t rows = static_cast<std::int64_t>(args.heads) * args.summary_count;
  return rows * cut_pool(args).count * args.k * static_cast<std::int64_t>(sizeof(Ranked));
}

Status pool_topk(const PoolTopk& args, Stream stream) {
  const bool supported = args.k >= 1 && args.k <= pool_topk_max_k && args.head_dim >= 1 &&
                         args.head_dim <= pool_topk_max_head_dim && args.entries >= 0 &&
                         args.entries <= pool_topk_max_entries && args.heads >= 0 && args.heads <= 65535;
  const std::int64_t rows = static_cast<std::int64_t>(args.heads) * args.summary_count;
  if (!supported || rows > pool_topk_max_rows) return cudaErrorInvalidValue;
  if (rows <= 0) return cudaSuccess;
  const PoolChunks chunks = cut_pool(args);
  auto* partial = static_cast<Ranked*>(args.workspace);
  auto cuda_stream = static_cast<cudaStream_t>(stream);

  if (chunks.count > 0) {
    const dim3 grid(static_cast<unsigned>(chunks.count), static_cast<unsigned>(args.heads),
                    static_cast<unsigned>(summary_groups(args)));
    visit_element(args.key_type, [&](auto element) {
      score_chunks<decltype(element)><<<grid, score_threads, 0, cuda_stream>>>(args, chunks.chunk_keys, partial);
    });
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  }
  constexpr std::int64_t rows_per_block = merge_threads / warp_size;
  const auto blocks = static_cast<unsigned>((rows + rows_per_block - 1) / rows_per_block);
  merge_chunks<<<blocks, merge_threads, 0, cuda_stream>>>(args, rows, chunks.count, partial);
  return cudaGetLastError();
}

}  // namespace carryover::kernels
