// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/rope.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/ops/elementwise.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_copy.h"

namespace carryover {

namespace {

constexpr std::size_t kRecentRanges = 8;
constexpr std::int64_t kTableRows = 1024;

double llama3_frequency(double frequency, const RopeConfig& scaling, double original_context) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double longest = original_context / scaling.low_frequency_factor;
  const double shortest = original_context / scaling.high_frequency_factor;
  if (wavelength < shortest) return frequency;
  if (wavelength > longest) return frequency / scaling.factor;
  const double blend = (original_context / wavelength - scaling.low_frequency_factor) /
                       (scaling.high_frequency_factor - scaling.low_frequency_factor);
  return (1 - blend) * frequency / scaling.factor + blend * frequency;
}

}  // namespace

Rope::Rope(const ModelConfig& model, const RopeConfig& scaling, std::int64_t length, at::TensorOptions options)
    : options_(options.dtype(ops::compute_type(c10::typeMetaToScalarType(options.dtype())))) {
  const double d = static_cast<double>(model.head_dim);
  const double original = static_cast<double>(scaling.original_context > 0 ? scaling.original_context : model.context);
  double theta = scaling.theta;
  if (scaling.kind == RopeConfig::Kind::Dynamic && static_cast<double>(length) > original)
    theta *= std::pow(scaling.factor * static_cast<double>(length) / original - (scaling.factor - 1), d / (d - 2));
  for (std::int64_t c = 0; c < model.head_dim / 2; ++c) {
    double frequency = std::pow(theta, -2.0 * static_cast<double>(c) / d);
    if (scaling.kind == RopeConfig::Kind::Linear) frequency /= scaling.factor;
    if (scaling.kind == RopeConfig::Kind::Llama3) frequency = llama3_frequency(frequency, scaling, original);
    inverse_frequencies_.push_back(frequency);
  }
}

/// The angles of a single token are a row of a table for many positions, so that tables are seldom copied to a GPU.
RopeAngles Rope::angles(std::int64_t first, std::int64_t n) {
  if (n > 1 || first < 0 || !ops::takes_kernels(options_.device())) return range(first, n);
  const std::int64_t row = first % kTableRows;
  const RopeAngles& table = range(first - row, kTableRows);
  return {table.cos.narrow(0, row, 1), table.sin.narrow(0, row, 1)};
}

const RopeAngles& Rope::range(std::int64_t first, std::int64_t n) {
  for (const Entry& entry : recent_)
    if (entry.first == first && entry.n == n) return entry.angles;
  const auto exact = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor frequencies =
      at::from_blob(inverse_frequencies_.data(), {static_cast<std::int64_t>(inverse_frequencies_.size())}, exact);
  const at::Tensor angle = at::arange(first, first + n, exact).unsqueeze(1) * frequencies;
  if (recent_.size() == kRecentRanges) recent_.erase(recent_.begin());
  const auto on_device = [&](const at::Tensor& exactly) {
    return ops::upload(exactly.to(c10::typeMetaToScalarType(options_.dtype())), options_.device());
  };
  recent_.push_back({first, n, {on_device(angle.cos()), on_device(angle.sin())}});
  return recent_.back().angles;
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
  const RopeAngles& turned = range(first, rows.size(1));
  return ops::rotate(rows, turned.cos, turned.sin);
}

at::Tensor Rope::rotate_prefix(const at::Tensor& keys) {
  return rotate(keys, -keys.size(1));
}

}  // namespace carryover
