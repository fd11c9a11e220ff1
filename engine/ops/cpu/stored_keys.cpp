// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/stored_keys.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/ops/cpu/simd_rows.h"
#include "engine/runtime/compute_type.h"

namespace carryover::ops {

namespace {

at::ScalarType stored_type(PoolKeys format, at::ScalarType model) {
  if (format == PoolKeys::BFloat16) return at::kBFloat16;
  return format == PoolKeys::Int8 ? at::kChar : model;
}

bool is_int8(const StoredKeys& keys) {
  return keys.scales.defined();
}

}  // namespace

StoredKeys StoredKeys::empty(PoolKeys format, std::int64_t slots, std::int64_t head_dim, at::TensorOptions options) {
  const auto model_type = c10::typeMetaToScalarType(options.dtype());
  if (format == PoolKeys::Int8 && !options.device().is_cpu())
    throw EngineError(Fault::Unsupported, "pool_keys", "the GPU can't search int8 keys",
                      "Choose pool_keys bf16, pool_on_host, or --device cpu.");
  StoredKeys keys{at::empty({slots, 0, head_dim}, options.dtype(stored_type(format, model_type))), {}};
  if (format == PoolKeys::Int8) keys.scales = at::empty({slots, 0}, options.dtype(at::kFloat));
  return keys;
}

void StoredKeys::store(const at::Tensor& keys, std::int64_t first) {
  const std::int64_t m = keys.size(1), d = keys.size(2);
  if (!is_int8(*this)) {
    rows.narrow(1, first, m).copy_(keys);
    return;
  }
  const at::Tensor exact = keys.to(at::kCPU, at::kFloat).contiguous();
  for (std::int64_t slot = 0; slot < keys.size(0); ++slot) {
    const float* in = exact.const_data_ptr<float>() + slot * m * d;
    auto* out = rows[slot].narrow(0, first, m).mutable_data_ptr<std::int8_t>();
    auto* scale = scales[slot].narrow(0, first, m).mutable_data_ptr<float>();
    for (std::int64_t row = 0; row < m; ++row) scale[row] = quantise(in + row * d, out + row * d, d);
  }
}

at::ScalarType StoredKeys::opmath_type() const {
  return is_int8(*this) ? at::kFloat : compute_type(rows.scalar_type());
}

at::Tensor StoredKeys::upcast(std::int64_t slot, std::int64_t first, std::int64_t count) const {
  const at::Tensor held = rows[slot].narrow(0, first, count);
  if (!is_int8(*this)) return held.to(opmath_type());
  at::Tensor upcast = at::empty(held.sizes(), held.options().dtype(at::kFloat));
  upcast_to(slot, first, count, upcast.mutable_data_ptr<float>());
  return upcast;
}

void StoredKeys::upcast_to(std::int64_t slot, std::int64_t first, std::int64_t count, float* out) const {
  const std::int64_t d = rows.size(2), start = slot * rows.stride(0) + first * d;
  if (is_int8(*this)) {
    load(rows.const_data_ptr<std::int8_t>() + start, scales.const_data_ptr<float>() + slot * scales.stride(0) + first,
         out, count, d);
  } else if (rows.scalar_type() == at::kBFloat16) {
    load(rows.const_data_ptr<at::BFloat16>() + start, out, count * d);
  } else {
    load(rows.const_data_ptr<float>() + start, out, count * d);
  }
}

void StoredKeys::upcast_to(std::int64_t slot, std::int64_t first, std::int64_t count, double* out) const {
  const std::int64_t d = rows.size(2);
  load(rows.const_data_ptr<double>() + slot * rows.stride(0) + first * d, out, count * d);
}

void StoredKeys::gather(std::int64_t slot, const at::Tensor& positions, at::Tensor out) const {
  if (!is_int8(*this) && rows.scalar_type() == out.scalar_type()) {
    at::index_select_out(out, rows[slot], 0, positions);
  } else {
    out.copy_(this->slot(slot).select(positions).upcast(0, 0, positions.size(0)));
  }
}

StoredKeys StoredKeys::slot(std::int64_t slot) const {
  return {rows.narrow(0, slot, 1), is_int8(*this) ? scales.narrow(0, slot, 1) : scales};
}

StoredKeys StoredKeys::after(std::int64_t first) const {
  const auto rest = [first](const at::Tensor& all) { return all.narrow(1, first, all.size(1) - first); };
  return {rest(rows), is_int8(*this) ? rest(scales) : scales};
}

StoredKeys StoredKeys::select(const at::Tensor& positions) const {
  const at::Tensor where = positions.to(device());
  return {rows.index_select(1, where), is_int8(*this) ? scales.index_select(1, where) : scales};
}

}  // namespace carryover::ops
