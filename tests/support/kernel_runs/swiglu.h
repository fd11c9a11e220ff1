// SPDX-License-Identifier: GPL-3.0-or-later
// swiglu and its gradient by their references and by their device code. Include cuda_on_cpu.h or cuda_on_threads.h
// first.
#pragma once
#include "kernels/cuda/swiglu_device.h"
#include "tests/support/kernel_runs/results.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::SwigluCase;

inline Swiglu with_addresses(const SwigluCase& c, PlacedArrays& arrays, bool backward) {
  const std::int64_t bytes = element_bytes(c.args.type);
  Swiglu args = c.args;
  args.input = arrays.input(c.input, bytes);
  args.gradient = backward ? arrays.input(c.gradient, bytes) : nullptr;
  args.output = arrays.output(c.result_bytes(backward), bytes);
  return args;
}

inline Bytes run_reference(const SwigluCase& c, bool backward) {
  PlacedArrays arrays(0);
  const Swiglu args = with_addresses(c, arrays, backward);
  backward ? reference::swiglu_backward(args, nullptr) : reference::swiglu(args, nullptr);
  return output_of(args, c.result_bytes(backward));
}

template <typename T, int width>
void launch(const Swiglu& args, bool backward) {
  cuda_on_cpu::launch({2, 2, 1}, swiglu_threads,
                      [&] { backward ? swiglu_backward_packs<T, width>(args) : swiglu_packs<T, width>(args); });
}

/// Runs by whole packs if they fit.
inline PackedRun run_device_code(const SwigluCase& c, bool backward, int placement) {
  PlacedArrays arrays(placement);
  const Swiglu args = with_addresses(c, arrays, backward);
  const bool by_packs = over_packs(
      args, [&](auto element, auto width) { launch<decltype(element), decltype(width)::value>(args, backward); });
  return {output_of(args, c.result_bytes(backward)), by_packs, arrays.intact()};
}

inline bool runs_soon(const SwigluCase& c) {
  return c.args.rows > 0;
}

inline bool agrees(const SwigluCase& c, bool backward, const PackedRun& run) {
  return run.intact && kernel_cases::agree(run.output, run_reference(c, backward), c.args.type, c.tolerance());
}

inline bool agrees(const SwigluCase& c, int placement) {
  return agrees(c, false, run_device_code(c, false, placement)) && agrees(c, true, run_device_code(c, true, placement));
}

}  // namespace carryover::kernel_runs
