// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/config/pool_keys.h"

namespace carryover::ops {

/// Keys of a pool in the format in which they are held: floating point, or int8 on the CPU. A copy shares the tensors.
/// Nothing here is differentiable. Thread: engine.
struct StoredKeys {
  at::Tensor rows;    ///< [slots, capacity, d]: the model's dtype, bf16 or int8
  at::Tensor scales;  ///< [slots, capacity] fp32 with int8 rows: a key is scale · row; else undefined

  /// Returns keys of capacity 0. `options`: the model's dtype and the pool's device. Throws EngineError{Unsupported}
  /// for int8 on a GPU, which has no kernel for it.
  static StoredKeys empty(PoolKeys format, std::int64_t slots, std::int64_t head_dim, at::TensorOptions options);

  /// Stores keys [slots, m, d], floating point, of any device, as entries first..first+m−1.
  void store(const at::Tensor& keys, std::int64_t first);

  at::ScalarType opmath_type() const;  ///< dtype of scores: fp64 for keys in fp64, else fp32
  /// Returns entries first..first+count−1 of a slot: [count, d] in opmath_type(). The result is a view if they are held
  /// so.
  at::Tensor upcast(std::int64_t slot, std::int64_t first, std::int64_t count) const;
  /// Writes the same into `out` [count, d], which is of opmath_type(). CPU; any thread.
  void upcast_to(std::int64_t slot, std::int64_t first, std::int64_t count, float* out) const;
  void upcast_to(std::int64_t slot, std::int64_t first, std::int64_t count, double* out) const;
  /// Returns a slot's entries from `first` on if they are held as T, else null. CPU; any thread.
  template <typename T>
  const T* held(std::int64_t slot, std::int64_t first) const {
    if (rows.scalar_type() != c10::CppTypeToScalarType<T>::value) return nullptr;
    return rows.const_data_ptr<T>() + slot * rows.stride(0) + first * rows.stride(1);
  }
  /// Converts entries of a slot at `positions` [P], int64 on the keys' device, into `out` [P, d].
  void gather(std::int64_t slot, const at::Tensor& positions, at::Tensor out) const;

  StoredKeys slot(std::int64_t slot) const;              ///< [1, capacity, d]
  StoredKeys after(std::int64_t first) const;            ///< [slots, capacity − first, d], a view without the first
  StoredKeys select(const at::Tensor& positions) const;  ///< [slots, P, d] of positions [P] int64, copied
  c10::Device device() const { return rows.device(); }
};

}  // namespace carryover::ops
