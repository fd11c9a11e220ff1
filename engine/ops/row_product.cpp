// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/row_product.h"

#include <ATen/ATen.h>

#include <cstring>
#include <vector>

#include "engine/ops/parallel.h"
#include "engine/ops/wide_rows.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kLanes = 16, kSums = 4;

using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Words = std::uint32_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));

/// A row of fp32 as pairs of bf16 are multiplied with it: its even places, and its odd ones.
struct SplitRow {
  std::vector<float> even, odd;
};

float widen(std::uint16_t half) {
  const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The nearest bf16, ties to even.
std::uint16_t narrow(float value) {
  return at::BFloat16(value).x;
}

SplitRow split(const at::Tensor& x) {  // [1, n]
  const std::int64_t n = x.size(1), stride = x.stride(1);
  const auto* from = reinterpret_cast<const std::uint16_t*>(x.const_data_ptr<at::BFloat16>());
  SplitRow row{std::vector<float>(static_cast<std::size_t>((n + 1) / 2)),
               std::vector<float>(static_cast<std::size_t>(n / 2))};
  for (std::int64_t i = 0; i < n; ++i)
    (i % 2 == 0 ? row.even : row.odd)[static_cast<std::size_t>(i / 2)] = widen(from[i * stride]);
  return row;
}

/// out[row] = weight[row] · x for rows [first, last). Row after row: the memory's prefetching likes one stream best.
CARRYOVER_VECTORISED void multiply_rows(const std::uint16_t* weight, const float* even, const float* odd,
                                        std::uint16_t* out, std::int64_t first, std::int64_t last, std::int64_t inner) {
  constexpr std::int64_t step = 2 * kLanes * kSums;
  for (std::int64_t r = first; r < last; ++r) {
    const std::uint16_t* row = weight + r * inner;
    Floats sums[kSums] = {};
    std::int64_t i = 0;
    const auto add = [&](Floats & sum, std::int64_t at) __attribute__((always_inline)) {
      Words pairs;  // the lower half of a word is its even place, and bf16 is the upper half of fp32
      Floats x_even, x_odd, w_even, w_odd;
      std::memcpy(&pairs, row + at, sizeof pairs);
      std::memcpy(&x_even, even + at / 2, sizeof x_even);
      std::memcpy(&x_odd, odd + at / 2, sizeof x_odd);
      const Words low = pairs << 16, high = pairs & 0xffff0000u;
      std::memcpy(&w_even, &low, sizeof w_even);
      std::memcpy(&w_odd, &high, sizeof w_odd);
      sum += w_even * x_even + w_odd * x_odd;
    };
    for (; i + step <= inner; i += step)
      for (std::int64_t s = 0; s < kSums; ++s) add(sums[s], i + s * 2 * kLanes);
    for (; i + 2 * kLanes <= inner; i += 2 * kLanes) add(sums[0], i);
    float sum = 0;
    for (; i < inner; ++i) sum += widen(row[i]) * (i % 2 == 0 ? even : odd)[i / 2];
    const Floats all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += all[lane];
    out[r] = narrow(sum);
  }
}

/// The same in fp32.
CARRYOVER_VECTORISED void multiply_rows(const float* weight, const float* x, float* out, std::int64_t first,
                                        std::int64_t last, std::int64_t inner) {
  constexpr std::int64_t step = kLanes * kSums;
  for (std::int64_t r = first; r < last; ++r) {
    const float* row = weight + r * inner;
    Floats sums[kSums] = {};
    std::int64_t i = 0;
    for (; i + step <= inner; i += step)
      for (std::int64_t s = 0; s < kSums; ++s) {
        Floats w, factor;
        std::memcpy(&w, row + i + s * kLanes, sizeof w);
        std::memcpy(&factor, x + i + s * kLanes, sizeof factor);
        sums[s] += w * factor;
      }
    float sum = 0;
    for (; i < inner; ++i) sum += row[i] * x[i];
    const Floats all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += all[lane];
    out[r] = sum;
  }
}

}  // namespace

bool has_row_product(const at::Tensor& x, const at::Tensor& weight) {
  return x.is_cpu() && x.dim() == 2 && x.size(0) == 1 && weight.is_contiguous() &&
         x.scalar_type() == weight.scalar_type() && (x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kFloat);
}

at::Tensor row_product(const at::Tensor& x, const at::Tensor& weight) {
  const std::int64_t outer = weight.size(0), inner = weight.size(1);
  at::Tensor out = at::empty({1, outer}, x.options());
  if (x.scalar_type() == at::kFloat) {
    const at::Tensor dense = x.contiguous();
    const float *row = dense.const_data_ptr<float>(), *rows = weight.const_data_ptr<float>();
    float* sums = out.mutable_data_ptr<float>();
    at::parallel_for(0, outer, grain_of(inner / 2), [&](std::int64_t first, std::int64_t last) {
      multiply_rows(rows, row, sums, first, last, inner);
    });
    return out;
  }
  const SplitRow row = split(x);
  const auto* rows = reinterpret_cast<const std::uint16_t*>(weight.const_data_ptr<at::BFloat16>());
  auto* sums = reinterpret_cast<std::uint16_t*>(out.mutable_data_ptr<at::BFloat16>());
  at::parallel_for(0, outer, grain_of(inner / 2), [&](std::int64_t first, std::int64_t last) {
    multiply_rows(rows, row.even.data(), row.odd.data(), sums, first, last, inner);
  });
  return out;
}

}  // namespace carryover::ops
