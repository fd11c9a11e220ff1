// SPDX-License-Identifier: GPL-3.0-or-later
// gather_prefix by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/gather_prefix_device.h"
#include "tests/support/kernel_runs/results.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::GatherPrefixCase;

inline GatherPrefix with_addresses(const GatherPrefixCase& c, PlacedArrays& arrays) {
  const std::int64_t bytes = element_bytes(c.args.type);
  GatherPrefix args = c.args;
  args.pool_keys = arrays.input(c.pool_keys, bytes);
  args.pool_values = arrays.input(c.pool_values, bytes);
  args.head_slot = c.head_slot.data();
  args.positions = c.positions.data();
  args.keys = arrays.output(c.result_bytes(), bytes);
  args.values = arrays.output(c.result_bytes(), bytes);
  return args;
}

inline KeysAndValues run_reference(const GatherPrefixCase& c) {
  PlacedArrays arrays(0);
  const GatherPrefix args = with_addresses(c, arrays);
  reference::gather_prefix(args, nullptr);
  return {args, c.result_bytes(), arrays};
}

template <typename Unit>
void launch(const GatherPrefix& args) {
  constexpr auto unit = static_cast<std::int64_t>(sizeof(Unit));
  const std::int64_t bytes = element_bytes(args.type);
  cuda_on_cpu::launch({3, 1, 1}, gather_threads,
                      [&] { gather_rows<Unit>(args, args.head_dim * bytes / unit, args.slot_stride * bytes / unit); });
}

/// Copies by units of type Unit; nothing where they do not fit.
template <typename Unit>
std::optional<KeysAndValues> run_device_code(const GatherPrefixCase& c, int placement) {
  PlacedArrays arrays(placement);
  const GatherPrefix args = with_addresses(c, arrays);
  if (!takes_units(args, sizeof(Unit))) return {};
  launch<Unit>(args);
  return KeysAndValues(args, c.result_bytes(), arrays);
}

inline bool runs_soon(const GatherPrefixCase& c) {
  return !c.positions.empty();
}

/// Compares the results in every unit that fits.
inline bool agrees(const GatherPrefixCase& c, int placement) {
  const KeysAndValues expected = run_reference(c);
  const auto agree = [&](const std::optional<KeysAndValues>& result) { return !result || *result == expected; };
  return agree(run_device_code<uint4>(c, placement)) && agree(run_device_code<std::uint64_t>(c, placement)) &&
         agree(run_device_code<std::uint32_t>(c, placement)) && agree(run_device_code<std::uint16_t>(c, placement));
}

}  // namespace carryover::kernel_runs
