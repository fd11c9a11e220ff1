// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/element.h"

namespace carryover::kernels {

/// Keys and values of several heads in place. The data of head h at position p begin at data + row[h] · row_stride + p
/// · position_stride (in elements); the last dimension is dense.
struct KvRows {
  const void* keys;
  const void* values;
  std::int64_t key_row_stride, key_position_stride, value_row_stride, value_position_stride;
  const std::int32_t* row;  ///< [heads]
};

template <typename T>
CARRYOVER_HOST_DEVICE const T* key_at(const KvRows& rows, std::int64_t head, std::int64_t position) {
  return static_cast<const T*>(rows.keys) + rows.row[head] * rows.key_row_stride + position * rows.key_position_stride;
}
template <typename T>
CARRYOVER_HOST_DEVICE const T* value_at(const KvRows& rows, std::int64_t head, std::int64_t position) {
  return static_cast<const T*>(rows.values) + rows.row[head] * rows.value_row_stride +
         position * rows.value_position_stride;
}

}  // namespace carryover::kernels
