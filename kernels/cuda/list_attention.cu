// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/list_attention_device.h"

namespace carryover::kernels {
namespace {

template <typename T, int d, int warps>
void launch(const ListAttention& args, cudaStream_t stream) {
  const std::int32_t parts = list_parts(args);
  float* const partial = parts > 1 ? static_cast<float*>(args.workspace) : nullptr;
  const auto tiles = static_cast<unsigned>(args.tile_count),
             rows = static_cast<unsigned>(args.heads / args.heads_together);
  attend_tiles<T, d, warps>
      <<<dim3(tiles, rows, static_cast<unsigned>(parts)), warps * warp_size, 0, stream>>>(args, partial);
  if (parts > 1) merge_parts<T><<<dim3(tiles, rows), d, 0, stream>>>(args, parts, warps * warp_queries, partial);
}

template <typename T, int d>
void launch(const ListAttention& args, cudaStream_t stream) {
  list_warps(args) == 1 ? launch<T, d, 1>(args, stream) : launch<T, d, 4>(args, stream);
}

template <typename T>
void launch(const ListAttention& args, cudaStream_t stream) {
  if (args.head_dim == 64) launch<T, 64>(args, stream);
  if (args.head_dim == 128) launch<T, 128>(args, stream);
  if (args.head_dim == 256) launch<T, 256>(args, stream);
}

/// Returns true if the kernel accepts these sizes. The caller has to ensure that tiles and lists are valid.
bool supported(const ListAttention& args) {
  const bool counts = args.heads >= 0 && args.heads_together >= 1 && args.heads % args.heads_together == 0 &&
                      args.heads / args.heads_together <= 65535 && args.query_count >= 0 && args.tile_count >= 0 &&
                      args.most_together >= 1 && args.most_together <= list_attention_max_lanes;
  return counts && list_attention_takes(args.type, args.head_dim) && args.band_count >= 0 &&
         args.band_count <= list_attention_max_bands && args.prefix_length >= 0 && args.length >= args.query_count &&
         std::int64_t{args.prefix_length} + args.length <= 0x7fffffff;
}

}  // namespace

std::int64_t list_attention_workspace_bytes(const ListAttention& args) {
  return list_partial_floats(args) * static_cast<std::int64_t>(sizeof(float));
}

Status list_attention(const ListAttention& args, Stream stream) {
  if (!supported(args)) return cudaErrorInvalidValue;
  if (args.heads == 0 || args.tile_count == 0) return cudaSuccess;
  if (!reads_aligned(args)) return cudaErrorMisalignedAddress;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (args.type == Element::BFloat16)
    launch<BFloat16>(args, cuda_stream);
  else
    launch<float>(args, cuda_stream);
  return cudaGetLastError();
}

}  // namespace carryover::kernels
