// SPDX-License-Identifier: GPL-3.0-or-later
// row_attention by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/row_attention_device.h"
#include "tests/support/kernel_runs/results.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::RowAttentionCase;

inline RowAttention with_addresses(const RowAttentionCase& c, PlacedArrays& arrays) {
  const std::int64_t bytes = element_bytes(c.args.type);
  RowAttention args = c.args;
  args.queries = arrays.input(c.queries, bytes);
  args.query_row = c.query_row.data();
  args.prefix = with_addresses(c.prefix, args.type, arrays);
  args.segment = with_addresses(c.segment, args.type, arrays);
  if (!c.reads_other.empty()) {
    args.other = with_addresses(c.other, args.type, arrays);
    args.reads_other = c.reads_other.data();
  }
  args.output = arrays.output(c.result_bytes(), bytes);
  const Bytes zeros(sizeof(std::int32_t) * static_cast<std::size_t>(args.heads));
  args.arrived = reinterpret_cast<std::int32_t*>(arrays.input(zeros, sizeof(std::int32_t)));
  return args;
}

inline Bytes run_reference(const RowAttentionCase& c) {
  PlacedArrays arrays(0);
  const RowAttention args = with_addresses(c, arrays);
  reference::row_attention(args, nullptr);
  return output_of(args, c.result_bytes());
}

/// The launch of row_attention.cu.
template <typename T, int width>
void launch(const RowAttention& args) {
  const std::int64_t all = longest_positions(args);
  const std::int32_t chunks = attend_chunks_of(all);
  std::vector<float> partial(static_cast<std::size_t>(args.heads * chunks * partial_floats(args.head_dim)), 1e30f);
  cuda_on_cpu::launch({static_cast<unsigned>(chunks), static_cast<unsigned>(args.heads), 1}, attend_threads, [&] {
    if (args.cap > 0)
      attend_chunks<T, width, true>(args, attend_chunk(all), partial.data());
    else
      attend_chunks<T, width, false>(args, attend_chunk(all), partial.data());
  });
}

template <typename T>
void launch(const RowAttention& args) {
  if (args.head_dim == 64) launch<T, 2>(args);
  if (args.head_dim == 128) launch<T, 4>(args);
  if (args.head_dim == 256) launch<T, 8>(args);
}
inline void launch(const RowAttention& args) {
  args.type == Element::BFloat16 ? launch<BFloat16>(args) : launch<float>(args);
}

/// Nothing where what it counted with are no zeros behind it.
inline Bytes run_device_code(const RowAttentionCase& c) {
  PlacedArrays arrays(0);
  const RowAttention args = with_addresses(c, arrays);
  if (args.heads > 0) launch(args);
  const bool zeros =
      std::all_of(args.arrived, args.arrived + args.heads, [](std::int32_t count) { return count == 0; });
  return zeros ? output_of(args, c.result_bytes()) : Bytes();
}

inline bool runs_soon(const RowAttentionCase& c) {
  return c.args.heads > 0;
}

inline bool agrees(const RowAttentionCase& c, int) {
  return kernel_cases::agree(run_device_code(c), run_reference(c), c.args.type, c.tolerance());
}

}  // namespace carryover::kernel_runs
