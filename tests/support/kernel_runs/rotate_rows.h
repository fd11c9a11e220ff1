// SPDX-License-Identifier: GPL-3.0-or-later
// rotate_rows by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/rotate_rows_device.h"
#include "tests/support/kernel_runs/results.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::RotateRowsCase;

inline RotateRows with_addresses(const RotateRowsCase& c, PlacedArrays& arrays) {
  const std::int64_t bytes = element_bytes(c.args.type), opmath_bytes = c.args.type == Element::Float64 ? 8 : 4;
  RotateRows args = c.args;
  args.input = arrays.input(c.input, bytes);
  args.cosine = arrays.input(c.cosine, opmath_bytes);
  args.sine = arrays.input(c.sine, opmath_bytes);
  args.row = c.row.empty() ? nullptr : c.row.data();
  args.output = arrays.output(c.result_bytes(), bytes);
  return args;
}

inline Bytes run_reference(const RotateRowsCase& c) {
  PlacedArrays arrays(0);
  const RotateRows args = with_addresses(c, arrays);
  reference::rotate_rows(args, nullptr);
  return output_of(args, c.result_bytes());
}

/// Runs by whole packs if they fit and `packs` asks for them, else one pair at a time; returns true if it was by packs.
inline bool launch(const RotateRows& args, bool packs) {
  return over_packs(
      args,
      [&](auto element, auto width) {
        cuda_on_cpu::launch({2, static_cast<unsigned>(args.rows), 1}, rotate_threads,
                            [&] { rotate_packs<decltype(element), decltype(width)::value>(args); });
      },
      packs);
}

inline PackedRun run_device_code(const RotateRowsCase& c, int placement, bool packs) {
  PlacedArrays arrays(placement);
  const RotateRows args = with_addresses(c, arrays);
  const bool by_packs = launch(args, packs);
  return {output_of(args, c.result_bytes()), by_packs, arrays.intact()};
}

inline bool runs_soon(const RotateRowsCase& c) {
  return c.args.rows > 0 && c.args.length > 0;
}

inline bool agrees(const RotateRowsCase& c, const PackedRun& run) {
  return run.intact && kernel_cases::agree(run.output, run_reference(c), c.args.type, c.tolerance());
}

inline bool agrees(const RotateRowsCase& c, int placement) {
  return agrees(c, run_device_code(c, placement, false)) && agrees(c, run_device_code(c, placement, true));
}

}  // namespace carryover::kernel_runs
