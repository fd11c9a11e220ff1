// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/decoder/rope.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/ops/elementwise.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_copy.h"

namespace carryover {

namespace {

constexpr std::size_t kRecentRanges = 8;
constexpr std::int64_t kTableRows = 1024;

}  // namespace

Rope::Rope(const ModelConfig& model, at::TensorOptions options)
    : inverse_frequencies_(static_cast<std::size_t>(model.head_dim / 2), 0.0),
      amplitudes_(inverse_frequencies_.size(), 1.0),
      options_(options.dtype(ops::compute_type(c10::typeMetaToScalarType(options.dtype())))) {}

Rope::Rope(const ModelConfig& model, const RopeConfig& scaling, std::int64_t length, at::TensorOptions options)
    : Rope(model, options) {
  for (std::int64_t pair = 0; pair < model.rope_dims() / 2; ++pair) {
    const auto place = static_cast<std::size_t>(pair);
    inverse_frequencies_[place] = rope_frequency(scaling, pair, model.rope_dims(), model.context, length);
    amplitudes_[place] = rope_amplitude(scaling, model.context);
  }
}

/// The angles of a single token are a row of a table for many positions, so that tables are seldom copied to a GPU.
RopeAngles Rope::angles(std::int64_t first, std::int64_t n) {
  if (n > 1 || first < 0 || !ops::takes_kernels(options_.device())) return range(first, n);
  const std::int64_t row = first % kTableRows;
  const RopeAngles table = range(first - row, kTableRows);
  return {table.cos.narrow(0, row, 1), table.sin.narrow(0, row, 1)};
}

RopeAngles Rope::range(std::int64_t first, std::int64_t n) {
  for (const Entry& entry : recent_)
    if (entry.contains(first, n))
      return {entry.angles.cos.narrow(0, first - entry.first, n), entry.angles.sin.narrow(0, first - entry.first, n)};
  std::erase_if(recent_, [&](const Entry& entry) { return Entry{first, n, {}}.contains(entry.first, entry.n); });
  if (recent_.size() == kRecentRanges) recent_.erase(recent_.begin());
  recent_.push_back({first, n, compute(first, n)});
  return recent_.back().angles;
}

/// The angles of a long text are computed some rows at a time, because in fp64 they are much more than what is kept.
RopeAngles Rope::compute(std::int64_t first, std::int64_t n) const {
  const auto exact = at::TensorOptions().dtype(at::kDouble);
  const auto row = [&](const std::vector<double>& values) { return at::tensor(values, exact); };
  const at::Tensor frequencies = row(inverse_frequencies_), amplitudes = row(amplitudes_);
  const auto kept = exact.dtype(c10::typeMetaToScalarType(options_.dtype()));
  const RopeAngles angles{at::empty({n, frequencies.size(0)}, kept), at::empty({n, frequencies.size(0)}, kept)};
  for (std::int64_t done = 0; done < n; done += kTableRows) {
    const std::int64_t count = std::min(kTableRows, n - done);
    const at::Tensor angle = at::arange(first + done, first + done + count, exact).unsqueeze(1) * frequencies;
    angles.cos.narrow(0, done, count).copy_(angle.cos() * amplitudes);
    angles.sin.narrow(0, done, count).copy_(angle.sin() * amplitudes);
  }
  return {ops::upload(angles.cos, options_.device()), ops::upload(angles.sin, options_.device())};
}

RopeAngles Rope::angles_up_to(std::int64_t first, std::int64_t n, std::int64_t furthest) {
  const std::int64_t before = std::clamp<std::int64_t>(furthest - first, 0, n);
  const RopeAngles last = angles(furthest, 1);
  const auto repeated = [&](const at::Tensor& row) { return row.expand({n - before, row.size(1)}); };
  if (before == 0) return {repeated(last.cos).contiguous(), repeated(last.sin).contiguous()};
  const RopeAngles own = angles(first, before);
  return {at::cat({own.cos, repeated(last.cos)}), at::cat({own.sin, repeated(last.sin)})};
}

at::Tensor Rope::rotate(const at::Tensor& rows, std::int64_t first) {
  const RopeAngles turned = range(first, rows.size(1));
  return ops::rotate(rows, turned.cos, turned.sin);
}

at::Tensor Rope::rotate_prefix(const at::Tensor& keys) {
  return rotate(keys, -keys.size(1));
}

Ropes::Ropes(const ModelConfig& model, const RopeConfig& scaling, std::int64_t length, at::TensorOptions options)
    : model_(model), global_(model, scaling, length, options) {
  if (model.window_rope) windowed_.emplace(model, *model.window_rope, length, options);
  if (!model.unrotated_layers.empty()) none_ = Rope::identity(model, options);
}

}  // namespace carryover
