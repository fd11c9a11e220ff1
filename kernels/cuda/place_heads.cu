// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/place_heads_device.h"

namespace carryover::kernels {
namespace {

template <typename Unit>
bool launch(PlaceHeads args, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 8192;
  if (!count_in_units<Unit>(args)) return false;
  const std::int64_t units = std::int64_t{args.length} * args.heads * args.head_dim;
  const std::int64_t blocks = (units + place_threads - 1) / place_threads;
  place_units<Unit>
      <<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), place_threads, 0, stream>>>(args);
  return true;
}

}  // namespace

Status place_heads(const PlaceHeads& args, Stream stream) {
  constexpr std::int64_t most_elements = 0x7fffffff;
  const bool sane = args.heads >= 0 && args.length >= 0 && args.head_dim >= 1 &&
                    std::int64_t{args.heads} * args.head_dim <= most_elements &&
                    std::int64_t{args.length} * (std::int64_t{args.heads} * args.head_dim) <= most_elements;
  if (!sane) return cudaErrorInvalidValue;
  if (args.heads == 0 || args.length == 0) return cudaSuccess;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  const bool launched = launch<uint4>(args, cuda_stream) || launch<std::uint64_t>(args, cuda_stream) ||
                        launch<std::uint32_t>(args, cuda_stream) || launch<std::uint16_t>(args, cuda_stream);
  return launched ? cudaGetLastError() : cudaErrorMisalignedAddress;
}

}  // namespace carryover::kernels
