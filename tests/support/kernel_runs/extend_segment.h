// SPDX-License-Identifier: GPL-3.0-or-later
// extend_segment by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/extend_segment_device.h"
#include "tests/support/kernel_runs/results.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::ExtendSegmentCase;

inline ExtendSegment with_addresses(const ExtendSegmentCase& c, PlacedArrays& arrays) {
  const std::int64_t bytes = element_bytes(c.args.type), opmath_bytes = c.args.type == Element::Float64 ? 8 : 4;
  ExtendSegment args = c.args;
  args.projections = arrays.input(c.projections, bytes);
  args.cosine = arrays.input(c.cosine, opmath_bytes);
  args.sine = arrays.input(c.sine, opmath_bytes);
  args.queries = arrays.output(c.query_bytes(), bytes);
  args.rotated_keys = arrays.output(c.kv_bytes(), bytes);
  args.values = arrays.output(c.kv_bytes(), bytes);
  if (c.keeps_keys) args.keys = arrays.output(c.kv_bytes(), bytes);
  args.tail = arrays.output(c.tail_bytes(), bytes);
  return args;
}

/// Returns all that it writes, one output behind the other, with the bytes between its rows.
inline Bytes all_outputs(const ExtendSegment& args, const ExtendSegmentCase& c) {
  Bytes all;
  const auto add = [&](const void* output, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(output);
    all.insert(all.end(), from, from + size);
  };
  add(args.queries, c.query_bytes());
  add(args.rotated_keys, c.kv_bytes());
  add(args.values, c.kv_bytes());
  if (args.keys != nullptr) add(args.keys, c.kv_bytes());
  add(args.tail, c.tail_bytes());
  return all;
}

inline Bytes run_reference(const ExtendSegmentCase& c) {
  PlacedArrays arrays(0);
  const ExtendSegment args = with_addresses(c, arrays);
  reference::extend_segment(args, nullptr);
  return all_outputs(args, c);
}

/// Runs by whole packs if they fit and `packs` asks for them, else one pair at a time; returns true if it was by packs.
inline bool launch(const ExtendSegment& args, bool packs) {
  return over_packs(
      args,
      [&](auto element, auto width) {
        cuda_on_cpu::launch({2, 1, 1}, extend_threads,
                            [&] { extend_packs<decltype(element), decltype(width)::value>(args); });
      },
      packs);
}

inline PackedRun run_device_code(const ExtendSegmentCase& c, int placement, bool packs) {
  PlacedArrays arrays(placement);
  const ExtendSegment args = with_addresses(c, arrays);
  const bool by_packs = launch(args, packs);
  return {all_outputs(args, c), by_packs, arrays.intact()};
}

inline bool runs_soon(const ExtendSegmentCase& c) {
  return c.args.length > 0;
}

/// Elements that nobody writes are NaN in bf16 and in fp64, and the same on both sides.
inline bool agrees(const ExtendSegmentCase& c, const PackedRun& run) {
  return run.intact && kernel_cases::agree_where_written(run.output, run_reference(c), c.args.type, c.tolerance());
}

inline bool agrees(const ExtendSegmentCase& c, int placement) {
  return agrees(c, run_device_code(c, placement, false)) && agrees(c, run_device_code(c, placement, true));
}

}  // namespace carryover::kernel_runs
