// SPDX-License-Identifier: GPL-3.0-or-later
// place_heads by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/place_heads_device.h"
#include "tests/support/kernel_runs/results.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::PlaceHeadsCase;

inline PlaceHeads with_addresses(const PlaceHeadsCase& c, PlacedArrays& arrays) {
  PlaceHeads args = c.args;
  for (std::size_t g = 0; g < c.groups.size(); ++g)
    args.groups[g].data = arrays.input(c.groups[g], element_bytes(args.type));
  args.group = c.group.data(), args.row = c.row.data();
  args.output = arrays.output(c.result_bytes(), element_bytes(args.type));
  return args;
}

inline Bytes run_reference(const PlaceHeadsCase& c) {
  PlacedArrays arrays(0);
  const PlaceHeads args = with_addresses(c, arrays);
  reference::place_heads(args, nullptr);
  return output_of(args, c.result_bytes());
}

/// Runs by units of type Unit; returns false if they do not fit.
template <typename Unit>
bool launch(PlaceHeads args) {
  if (!count_in_units<Unit>(args)) return false;
  cuda_on_cpu::launch({2, 1, 1}, place_threads, [&] { place_units<Unit>(args); });
  return true;
}

/// Copies by units of type Unit; nothing where they do not fit.
template <typename Unit>
std::optional<PackedRun> run_device_code(const PlaceHeadsCase& c, int placement) {
  PlacedArrays arrays(placement);
  const PlaceHeads args = with_addresses(c, arrays);
  if (!launch<Unit>(args)) return {};
  return PackedRun{output_of(args, c.result_bytes()), sizeof(Unit) == 16, arrays.intact()};
}

inline bool runs_soon(const PlaceHeadsCase& c) {
  return c.args.length > 0;
}

/// Compares the results in every unit that fits.
inline bool agrees(const PlaceHeadsCase& c, int placement) {
  const Bytes expected = run_reference(c);
  const auto agree = [&](const std::optional<PackedRun>& run) {
    return !run || (run->output == expected && run->intact);
  };
  return agree(run_device_code<uint4>(c, placement)) && agree(run_device_code<std::uint64_t>(c, placement)) &&
         agree(run_device_code<std::uint32_t>(c, placement)) && agree(run_device_code<std::uint16_t>(c, placement));
}

}  // namespace carryover::kernel_runs
