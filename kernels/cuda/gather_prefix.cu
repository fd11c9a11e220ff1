// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/gather_prefix_device.h"
#include "kernels/element.h"

namespace carryover::kernels {
namespace {

struct Sizes {
  std::int64_t row_bytes, slot_bytes;
};

/// Whether every row and every address is a whole number of units, so that no access is misaligned.
bool fits(const GatherPrefix& args, Sizes sizes, std::uintptr_t unit) {
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  const std::uintptr_t all = address(args.pool_keys) | address(args.pool_values) | address(args.keys) |
                             address(args.values) | static_cast<std::uintptr_t>(sizes.row_bytes) |
                             static_cast<std::uintptr_t>(sizes.slot_bytes);
  return all % unit == 0;
}

template <typename Unit>
Status launch(const GatherPrefix& args, Sizes sizes, cudaStream_t stream) {
  constexpr std::int64_t rows_per_block = gather_threads / 32, most_blocks = 4096;
  const std::int64_t rows = 2 * static_cast<std::int64_t>(args.heads) * args.prefix_length;
  const std::int64_t blocks = (rows + rows_per_block - 1) / rows_per_block;
  const auto unit = static_cast<std::int64_t>(sizeof(Unit));
  gather_rows<Unit><<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), gather_threads, 0, stream>>>(
      args, sizes.row_bytes / unit, sizes.slot_bytes / unit);
  return cudaGetLastError();
}

}  // namespace

Status gather_prefix(const GatherPrefix& args, Stream stream) {
  if (args.heads < 0 || args.prefix_length < 0 || args.head_dim < 1) return cudaErrorInvalidValue;
  if (args.heads == 0 || args.prefix_length == 0) return cudaSuccess;
  const std::int64_t bytes = element_bytes(args.type);
  const Sizes sizes{args.head_dim * bytes, args.slot_stride * bytes};
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (fits(args, sizes, sizeof(uint4))) return launch<uint4>(args, sizes, cuda_stream);
  if (fits(args, sizes, sizeof(std::uint64_t))) return launch<std::uint64_t>(args, sizes, cuda_stream);
  if (fits(args, sizes, sizeof(std::uint32_t))) return launch<std::uint32_t>(args, sizes, cuda_stream);
  return launch<std::uint16_t>(args, sizes, cuda_stream);
}

}  // namespace carryover::kernels
