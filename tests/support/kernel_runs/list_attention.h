// SPDX-License-Identifier: GPL-3.0-or-later
// list_attention by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/list_attention_device.h"
#include "tests/support/kernel_runs/results.h"
#include "tests/support/kernels/list_cases.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::ListAttentionCase;

struct ListAttentionResult {
  Bytes output;
  std::vector<float> log_sums;
  bool intact;
};

inline ListAttention with_addresses(const ListAttentionCase& c, PlacedArrays& arrays, std::vector<float>& log_sums) {
  const std::int64_t bytes = element_bytes(c.args.type);
  ListAttention args = c.args;
  args.queries.data = arrays.input(c.queries, bytes);
  args.apart_queries.data = arrays.input(c.apart_queries, bytes);
  args.prefix = with_addresses(c.prefix, args.type, arrays);
  args.segment = with_addresses(c.segment, args.type, arrays);
  if (!c.lists.empty()) args.tiles = c.tiles.data(), args.lists = c.lists.data(), args.runs = c.runs.data();
  args.output = arrays.output(c.result_bytes(), bytes);
  log_sums.assign(static_cast<std::size_t>(c.results()), 1e30f);
  args.log_sums = log_sums.data();
  return args;
}

/// Returns the results of `run`.
template <typename Run>
ListAttentionResult result_of(const ListAttentionCase& c, Run&& run) {
  PlacedArrays arrays(0);
  ListAttentionResult result;
  const ListAttention args = with_addresses(c, arrays, result.log_sums);
  run(args);
  result.output = output_of(args, c.result_bytes());
  result.intact = arrays.intact();
  return result;
}

inline ListAttentionResult run_reference(const ListAttentionCase& c) {
  return result_of(c, [](const ListAttention& args) { reference::list_attention(args, nullptr); });
}

/// The launches of list_attention.cu.
template <typename T, int d, int warps>
void launch(const ListAttention& args) {
  const std::int32_t parts = list_parts(args);
  std::vector<float> scratch(static_cast<std::size_t>(list_partial_floats(args)), 1e30f);
  float* const partial = parts > 1 ? scratch.data() : nullptr;
  const auto tiles = static_cast<unsigned>(args.tile_count),
             rows = static_cast<unsigned>(args.heads / args.heads_together);
  cuda_on_cpu::launch({tiles, rows, static_cast<unsigned>(parts)}, warps * warp_size,
                      [&] { attend_tiles<T, d, warps>(args, partial); });
  if (parts > 1)
    cuda_on_cpu::launch({tiles, rows, 1}, d, [&] { merge_parts<T>(args, parts, warps * warp_queries, partial); });
}

template <typename T, int d>
void launch(const ListAttention& args) {
  list_warps(args) == 1 ? launch<T, d, 1>(args) : launch<T, d, 4>(args);
}

template <typename T>
void launch(const ListAttention& args) {
  if (args.head_dim == 64) launch<T, 64>(args);
  if (args.head_dim == 128) launch<T, 128>(args);
  if (args.head_dim == 256) launch<T, 256>(args);
}
inline void launch(const ListAttention& args) {
  args.type == Element::BFloat16 ? launch<BFloat16>(args) : launch<float>(args);
}

inline ListAttentionResult run_device_code(const ListAttentionCase& c) {
  return result_of(c, [](const ListAttention& args) {
    if (args.heads > 0) launch(args);
  });
}

inline bool runs_soon(const ListAttentionCase& c) {
  return c.args.heads > 0 && c.args.heads < 10 && c.args.head_dim == 64 && c.args.query_count < 40 && c.places() < 120;
}

inline bool agree(const ListAttentionCase& c, const ListAttentionResult& found, const ListAttentionResult& expected) {
  return found.intact && kernel_cases::agree(found.output, expected.output, c.args.type, c.tolerance()) &&
         kernel_cases::log_sums_agree(found.log_sums, expected.log_sums, 1e-3);
}
inline bool agrees(const ListAttentionCase& c, int) {
  return agree(c, run_device_code(c), run_reference(c));
}

}  // namespace carryover::kernel_runs
