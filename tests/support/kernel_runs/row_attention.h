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
  args.output = arrays.output(c.result_bytes(), bytes);
  return args;
}

inline Bytes run_reference(const RowAttentionCase& c) {
  PlacedArrays arrays(0);
  const RowAttention args = with_addresses(c, arrays);
  reference::row_attention(args, nullptr);
  return output_of(args, c.result_bytes());
}

/// The launches of row_attention.cu.
template <typename T, int width>
void launch(const RowAttention& args) {
  const std::int64_t all = std::int64_t{args.prefix_length} + args.length;
  const std::int32_t chunks = attend_chunks_of(all);
  const auto heads = static_cast<unsigned>(args.heads);
  std::vector<float> partial(static_cast<std::size_t>(args.heads * chunks * partial_floats(args.head_dim)), 1e30f);
  cuda_on_cpu::launch({static_cast<unsigned>(chunks), heads, 1}, attend_threads,
                      [&] { attend_chunks<T, width>(args, attend_chunk(all), partial.data()); });
  cuda_on_cpu::launch({1, heads, 1}, static_cast<unsigned>(args.head_dim),
                      [&] { merge_attended<T>(args, chunks, partial.data()); });
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

inline Bytes run_device_code(const RowAttentionCase& c) {
  PlacedArrays arrays(0);
  const RowAttention args = with_addresses(c, arrays);
  if (args.heads > 0) launch(args);
  return output_of(args, c.result_bytes());
}

inline bool runs_soon(const RowAttentionCase& c) {
  return c.args.heads > 0;
}

inline bool agrees(const RowAttentionCase& c, int) {
  return kernel_cases::agree(run_device_code(c), run_reference(c), c.args.type, c.tolerance());
}

}  // namespace carryover::kernel_runs
