// SPDX-License-Identifier: GPL-3.0-or-later
// select_hits by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/select_hits_device.h"
#include "tests/support/kernels/select_cases.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::SelectHitsCase;

struct SelectHitsResult {
  std::vector<std::int64_t> positions;
  std::vector<std::int32_t> origins;
  bool operator==(const SelectHitsResult&) const = default;
};

inline SelectHits with_addresses(const SelectHitsCase& c, SelectHitsResult& result) {
  result.positions.assign(c.results(), 12345);
  result.origins.assign(c.results(), 12345);
  SelectHits args = c.args;
  args.scores = c.scores.data();
  args.indices = c.indices.data();
  args.positions = result.positions.data();
  args.origins = result.origins.data();
  return args;
}

inline SelectHitsResult run_reference(const SelectHitsCase& c) {
  SelectHitsResult result;
  reference::select_hits(with_addresses(c, result), nullptr);
  return result;
}

/// The launch of select_hits.cu.
inline SelectHitsResult run_device_code(const SelectHitsCase& c) {
  SelectHitsResult result;
  const SelectHits args = with_addresses(c, result);
  if (args.heads > 0 && args.length > 0)
    cuda_on_cpu::launch({static_cast<unsigned>(args.heads), 1, 1}, select_threads, [&] { select_slots(args); });
  return result;
}

inline bool runs_soon(const SelectHitsCase& c) {
  return c.args.heads > 0 && c.args.length > 0;
}

inline bool agrees(const SelectHitsCase& c, int) {
  return run_device_code(c) == run_reference(c);
}

}  // namespace carryover::kernel_runs
