// SPDX-License-Identifier: GPL-3.0-or-later
// pool_topk by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include <limits>

#include "kernels/cuda/pool_topk_device.h"
#include "tests/support/kernels/kernel_cases.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::PoolTopkCase;

struct PoolTopkResult {
  std::vector<float> scores;
  std::vector<std::int64_t> indices;
  bool operator==(const PoolTopkResult&) const = default;
};

inline PoolTopk with_addresses(const PoolTopkCase& c, PoolTopkResult& result) {
  result.scores.assign(c.results(), 12345.0f);
  result.indices.assign(c.results(), 12345);
  PoolTopk args = c.args;
  args.keys = c.keys.data();
  args.summaries = c.summaries.data();
  args.head_slot = c.head_slot.data();
  args.scores = result.scores.data();
  args.indices = result.indices.data();
  return args;
}

inline PoolTopkResult run_reference(const PoolTopkCase& c) {
  PoolTopkResult result;
  reference::pool_topk(with_addresses(c, result), nullptr);
  return result;
}

/// The launches of pool_topk.cu.
inline void launch(const PoolTopk& args) {
  const PoolChunks chunks = cut_pool(args);
  const std::int64_t rows = static_cast<std::int64_t>(args.heads) * args.summary_count;
  const Ranked unwritten{std::numeric_limits<float>::max(), -77};
  std::vector<Ranked> partial(static_cast<std::size_t>(rows * chunks.count * args.k), unwritten);
  const auto groups = static_cast<unsigned>(summary_groups(args));
  if (chunks.count > 0) {
    visit_element(args.key_type, [&](auto element) {
      cuda_on_cpu::launch({static_cast<unsigned>(chunks.count), static_cast<unsigned>(args.heads), groups},
                          score_threads,
                          [&] { score_chunks<decltype(element)>(args, chunks.chunk_keys, partial.data()); });
    });
  }
  const auto warps = merge_threads / warp_size;
  cuda_on_cpu::launch({static_cast<unsigned>((rows + warps - 1) / warps), 1, 1}, merge_threads,
                      [&] { merge_chunks(args, rows, chunks.count, partial.data()); });
}

inline PoolTopkResult run_device_code(const PoolTopkCase& c) {
  PoolTopkResult result;
  launch(with_addresses(c, result));
  return result;
}

/// Simulating a GPU takes time: larger cases are left to machines that have one (examples/kernel_parity).
inline bool runs_soon(const PoolTopkCase& c) {
  return c.args.entries * c.args.heads * c.args.summary_count <= 1500;
}

inline bool agrees(const PoolTopkCase& c, int) {
  return run_device_code(c) == run_reference(c);
}

}  // namespace carryover::kernel_runs
