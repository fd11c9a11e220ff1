// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/gather_prefix_device.h"

namespace carryover::kernels {
namespace {

template <typename Unit>
bool launch(const GatherPrefix& args, cudaStream_t stream) {
  constexpr std::int64_t rows_per_block = gather_threads / 32, most_blocks = 4096;
  constexpr auto unit = static_cast<std::int64_t>(sizeof(Unit));
  if (!takes_units(args, unit)) return false;
  const std::int64_t rows = 2 * static_cast<std::int64_t>(args.heads) * args.prefix_length;
  const std::int64_t blocks = (rows + rows_per_block - 1) / rows_per_block, element = element_bytes(args.type);
  gather_rows<Unit><<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), gather_threads, 0, stream>>>(
      args, args.head_dim * element / unit, args.slot_stride * element / unit);
  return true;
}

}  // namespace

Status gather_prefix(const GatherPrefix& args, Stream stream) {
  if (args.heads < 0 || args.prefix_length < 0 || args.head_dim < 1) return cudaErrorInvalidValue;
  if (args.heads == 0 || args.prefix_length == 0) return cudaSuccess;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  const bool launched = launch<uint4>(args, cuda_stream) || launch<std::uint64_t>(args, cuda_stream) ||
                        launch<std::uint32_t>(args, cuda_stream) || launch<std::uint16_t>(args, cuda_stream);
  return launched ? cudaGetLastError() : cudaErrorMisalignedAddress;
}

}  // namespace carryover::kernels
