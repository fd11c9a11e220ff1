// SPDX-License-Identifier: GPL-3.0-or-later
// join_rows by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/join_rows_device.h"
#include "tests/support/kernel_runs/results.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::JoinRowsCase;

inline JoinRows with_addresses(const JoinRowsCase& c, PlacedArrays& arrays) {
  JoinRows args = c.args;
  args.prefix = with_addresses(c.prefix, args.type, arrays);
  args.segment = with_addresses(c.segment, args.type, arrays);
  args.keys = arrays.output(c.result_bytes(), element_bytes(args.type));
  args.values = arrays.output(c.result_bytes(), element_bytes(args.type));
  return args;
}

inline KeysAndValues run_reference(const JoinRowsCase& c) {
  PlacedArrays arrays(0);
  const JoinRows args = with_addresses(c, arrays);
  reference::join_rows(args, nullptr);
  return {args, c.result_bytes(), arrays};
}

/// Runs by units of type Unit; returns false if they do not fit.
template <typename Unit>
bool launch(JoinRows args) {
  if (!count_in_units<Unit>(args)) return false;
  cuda_on_cpu::launch({2, static_cast<unsigned>(args.heads), 2}, join_threads, [&] { join_units<Unit>(args); });
  return true;
}

/// Copies by units of type Unit; nothing where they do not fit.
template <typename Unit>
std::optional<KeysAndValues> run_device_code(const JoinRowsCase& c, int placement) {
  PlacedArrays arrays(placement);
  const JoinRows args = with_addresses(c, arrays);
  if (!launch<Unit>(args)) return {};
  return KeysAndValues(args, c.result_bytes(), arrays);
}

inline bool runs_soon(const JoinRowsCase& c) {
  return c.args.heads > 0;
}

/// Compares the results in every unit that fits.
inline bool agrees(const JoinRowsCase& c, int placement) {
  const KeysAndValues expected = run_reference(c);
  const auto agree = [&](const std::optional<KeysAndValues>& result) { return !result || *result == expected; };
  return agree(run_device_code<uint4>(c, placement)) && agree(run_device_code<std::uint64_t>(c, placement)) &&
         agree(run_device_code<std::uint32_t>(c, placement)) && agree(run_device_code<std::uint16_t>(c, placement));
}

}  // namespace carryover::kernel_runs
