// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include <limits>

#include "kernels/cuda/row_attention_device.h"
#include "kernels/row_attention.h"

namespace carryover::kernels {
namespace {

template <typename T, int width>
void launch(const RowAttention& args, cudaStream_t stream) {
  const std::int32_t chunks = attend_chunks_of(longest_positions(args));
  const dim3 grid(static_cast<unsigned>(chunks), static_cast<unsigned>(args.heads));
  const auto kernel = args.cap > 0 ? attend_chunks<T, width, true> : attend_chunks<T, width, false>;
  kernel<<<grid, attend_threads, 0, stream>>>(args, attend_chunk(longest_positions(args)),
                                              static_cast<float*>(args.workspace));
}

template <typename T>
void launch(const RowAttention& args, cudaStream_t stream) {
  if (args.head_dim == 64) launch<T, 2>(args, stream);
  if (args.head_dim == 128) launch<T, 4>(args, stream);
  if (args.head_dim == 256) launch<T, 8>(args, stream);
}

}  // namespace

std::int64_t row_attention_workspace_bytes(const RowAttention& args) {
  return args.heads * attend_chunks_of(longest_positions(args)) * partial_floats(args.head_dim) *
         static_cast<std::int64_t>(sizeof(float));
}

Status row_attention(const RowAttention& args, Stream stream) {
  const bool supported = args.heads >= 0 && args.heads <= 65535 && args.prefix_length >= 0 && args.length >= 0 &&
                         args.other_length >= 0 && longest_positions(args) >= 1 &&
                         longest_positions(args) <= 0x7fffffff && row_attention_takes(args.type, args.head_dim);
  if (!supported) return cudaErrorInvalidValue;
  if (args.heads == 0) return cudaSuccess;
  if (!reads_aligned(args)) return cudaErrorMisalignedAddress;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (args.type == Element::BFloat16)
    launch<BFloat16>(args, cuda_stream);
  else
    launch<float>(args, cuda_stream);
  return cudaGetLastError();
}

}  // namespace carryover::kernels
