// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/join_rows_device.h"

namespace carryover::kernels {
namespace {

/// `rows` in units of `elements`, and whether they divide.
bool in_units(KvRows& rows, std::int64_t elements, std::uintptr_t unit_bytes) {
  bool whole =
      (reinterpret_cast<std::uintptr_t>(rows.keys) | reinterpret_cast<std::uintptr_t>(rows.values)) % unit_bytes == 0;
  for (std::int64_t* stride :
       {&rows.key_row_stride, &rows.key_position_stride, &rows.value_row_stride, &rows.value_position_stride}) {
    whole = whole && *stride % elements == 0;
    *stride /= elements;
  }
  return whole;
}

template <typename Unit>
bool launch(JoinRows args, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 1024;
  const std::int64_t elements = static_cast<std::int64_t>(sizeof(Unit)) / element_bytes(args.type);
  const bool whole_outputs =
      (reinterpret_cast<std::uintptr_t>(args.keys) | reinterpret_cast<std::uintptr_t>(args.values)) % sizeof(Unit) == 0;
  if (elements < 1 || args.head_dim % elements != 0 || !whole_outputs) return false;
  if (!in_units(args.segment, elements, sizeof(Unit))) return false;
  if (args.prefix_length > 0 && !in_units(args.prefix, elements, sizeof(Unit))) return false;
  args.head_dim = static_cast<std::int32_t>(args.head_dim / elements);
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
                    args.head_dim >= 1 && std::int64_t{args.prefix_length} + args.length <= 0x7fffffff;
  if (!sane) return cudaErrorInvalidValue;
  if (args.heads == 0 || args.prefix_length + args.length == 0) return cudaSuccess;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  const bool launched = launch<uint4>(args, cuda_stream) || launch<std::uint64_t>(args, cuda_stream) ||
                        launch<std::uint32_t>(args, cuda_stream) || launch<std::uint16_t>(args, cuda_stream);
  return launched ? cudaGetLastError() : cudaErrorInvalidValue;
}

}  // namespace carryover::kernels
