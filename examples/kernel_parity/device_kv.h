// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and values of a case: where a kernel finds them, where its reference does, and of a size that is worth timing.
#pragma once
#include "examples/kernel_parity/device_memory.h"
#include "tests/support/kernels/layer_cases.h"

namespace carryover::parity {

struct DeviceKv {
  explicit DeviceKv(const kernel_cases::KvCase& c) : keys(c.keys), values(c.values), row(c.row), args(c.args) {
    args.keys = keys.get(), args.values = values.get(), args.row = row.get();
  }
  DeviceArray<std::byte> keys, values;
  DeviceArray<std::int32_t> row;
  kernels::KvRows args;
};

inline kernels::KvRows on_host(const kernel_cases::KvCase& c) {
  kernels::KvRows args = c.args;
  args.keys = c.keys.data(), args.values = c.values.data(), args.row = c.row.data();
  return args;
}

/// Random bits of ordinary numbers, in bf16: the times do not depend on them.
inline kernel_cases::Bytes filled(std::int64_t elements) {
  return kernel_cases::Bytes(static_cast<std::size_t>(2 * elements), std::byte{0x3c});
}

inline kernel_cases::KvCase filled_kv(std::int64_t rows, std::int64_t positions, std::int64_t d) {
  kernel_cases::KvCase c;
  c.keys = c.values = filled(rows * positions * d);
  c.args.key_row_stride = c.args.value_row_stride = positions * d;
  c.args.key_position_stride = c.args.value_position_stride = d;
  for (std::int32_t row = 0; row < rows; ++row) c.row.push_back(row);
  return c;
}

}  // namespace carryover::parity
