// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/select_hits_device.h"

namespace carryover::kernels {

Status select_hits(const SelectHits& args, Stream stream) {
  const bool sane = args.heads >= 0 && args.summaries >= 1 && args.kept >= 1 && args.row_stride >= args.kept &&
                    args.anchors >= 1 && args.expand_before >= 0 && args.expand_after >= 0 && args.length >= 0;
  const bool supported = std::int64_t{args.summaries} * args.kept <= select_hits_max_candidates &&
                         args.length <= select_hits_max_length && args.length <= args.entries &&
                         args.entries <= pool_topk_max_entries;
  if (!sane || !supported) return cudaErrorInvalidValue;
  if (args.heads == 0 || args.length == 0) return cudaSuccess;
  select_slots<<<static_cast<unsigned>(args.heads), select_threads, 0, static_cast<cudaStream_t>(stream)>>>(args);
  return cudaGetLastError();
}

}  // namespace carryover::kernels
