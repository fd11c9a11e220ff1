// SPDX-License-Identifier: GPL-3.0-or-later
// The outputs of kernels, and the keys and values that they read, for the headers beside this one.
#pragma once
#include <optional>

#include "tests/support/kernel_runs/placed_arrays.h"
#include "tests/support/kernels/layer_cases.h"

namespace carryover::kernel_runs {

/// The `output` that a kernel left.
template <typename Args>
Bytes output_of(const Args& args, std::size_t size) {
  const auto* const output = static_cast<const std::byte*>(args.output);
  return {output, output + size};
}

/// An output that was made by whole packs or by single elements, and whether the kernel left alone what lies around its
/// arrays.
struct PackedRun {
  Bytes output;
  bool by_packs = false, intact = false;
};

/// The `keys` and `values` that a kernel left, and whether it left alone what lies around its
/// arrays.
struct KeysAndValues {
  template <typename Args>
  KeysAndValues(const Args& args, std::size_t size, const PlacedArrays& arrays) : intact(arrays.intact()) {
    const auto* const from_keys = static_cast<const std::byte*>(args.keys);
    const auto* const from_values = static_cast<const std::byte*>(args.values);
    keys.assign(from_keys, from_keys + size);
    values.assign(from_values, from_values + size);
  }
  Bytes keys, values;
  bool intact;
  bool operator==(const KeysAndValues&) const = default;
};

inline kernels::KvRows with_addresses(const kernel_cases::KvCase& c, kernels::Element type, PlacedArrays& arrays) {
  kernels::KvRows rows = c.args;
  rows.keys = arrays.input(c.keys, kernels::element_bytes(type));
  rows.values = arrays.input(c.values, kernels::element_bytes(type));
  rows.row = c.row.data();
  return rows;
}

}  // namespace carryover::kernel_runs
