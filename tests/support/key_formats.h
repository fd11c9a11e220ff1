// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>

#include "engine/ops/cpu/stored_keys.h"

namespace carryover::test {

/// A format in which a pool of fp64, fp32 or bf16 can hold its keys.
struct KeyFormat {
  PoolKeys keys;
  at::ScalarType model;
};
inline constexpr KeyFormat kKeyFormats[] = {{PoolKeys::Model, at::kDouble},
                                            {PoolKeys::Model, at::kFloat},
                                            {PoolKeys::Model, at::kBFloat16},
                                            {PoolKeys::BFloat16, at::kFloat},
                                            {PoolKeys::Int8, at::kFloat}};

/// Returns a pool of these keys. exact: [slots, entries, d]. The pool has room for more, with values that must not
/// count.
inline ops::StoredKeys stored(KeyFormat format, const at::Tensor& exact) {
  const std::int64_t slots = exact.size(0), capacity = exact.size(1) + 5, d = exact.size(2);
  ops::StoredKeys keys = ops::StoredKeys::empty(format.keys, slots, d, at::TensorOptions().dtype(format.model));
  keys.rows = at::full({slots, capacity, d}, 100, keys.rows.options());
  if (keys.scales.defined()) keys.scales = at::full({slots, capacity}, 100, at::kFloat);
  keys.store(exact, 0);
  return keys;
}

}  // namespace carryover::test
