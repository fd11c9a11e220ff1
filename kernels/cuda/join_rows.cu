// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/join_rows_device.h"

namespace carryover::kernels {
namespace {

template <typename Unit>
bool launch(JoinRows args, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 1024;
  if (!count_in_units<Unit>(args)) return false;
  const std::int64_t units = (std::int64_t{args.prefix_length} + args.length) * args.head_dim;
  const std::int64_t blocks = (units + join_threads - 1) / join_threads;
  const dim3 grid(static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), static_cast<unsigned>(args.heads),
                  2);
  join_units<Unit><<<grid, join_threads, 0, stream>>>(args);
  return true;
}

}  // namespace

Status join_rows(const JoinRows& args, Stream stream) {
  const bool sane = args.heads >= 0 && args.heads <= 65535 && args.prefix_length >= 0 && args.length >= 0 &&
                    args.head_dim >= 1 &&
                    (std::int64_t{args.prefix_length} + args.length) * args.head_dim <= 0x7fffffff;  // 32-bit indices
  if (!sane) return cudaErrorInvalidValue;
  if (args.heads == 0 || args.prefix_length + args.length == 0) return cudaSuccess;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  const bool launched = launch<uint4>(args, cuda_stream) || launch<std::uint64_t>(args, cuda_stream) ||
                        launch<std::uint32_t>(args, cuda_stream) || launch<std::uint16_t>(args, cuda_stream);
  return launched ? cudaGetLastError() : cudaErrorMisalignedAddress;
}

}  // namespace carryover::kernels
