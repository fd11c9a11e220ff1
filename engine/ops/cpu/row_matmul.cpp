// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/row_matmul.h"

#include <ATen/ATen.h>

#include <cstring>
#include <vector>

#include "engine/ops/cpu/simd_rows.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kLanes = 16, kSums = 4;

/// A row in fp32, split for the multiplication with pairs of bf16 into its even and its odd places.
struct SplitRow {
  std::vector<float> even, odd;
};

float upcast(std::uint16_t half) {
  const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Returns the nearest bf16, ties to even.
std::uint16_t narrow(float value) {
  return at::BFloat16(value).x;
}

SplitRow split(const at::Tensor& x) {  // [1, n]
  const std::int64_t n = x.size(1), stride = x.stride(1);
  const auto* from = reinterpret_cast<const std::uint16_t*>(x.const_data_ptr<at::BFloat16>());
  SplitRow row{std::vector<float>(static_cast<std::size_t>((n + 1) / 2)),
               std::vector<float>(static_cast<std::size_t>(n / 2))};
  for (std::int64_t i = 0; i < n; ++i)
    (i % 2 == 0 ? row.even : row.odd)[static_cast<std::size_t>(i / 2)] = upcast(from[i * stride]);
  return row;
}

/// Sixteen lanes, in as many vectors as the processor needs for them.
template <int Bytes>
struct Lanes {
  static constexpr int width = Bytes / static_cast<int>(sizeof(float)), parts = kLanes / width;
  typename Simd<float, Bytes>::Vector part[parts];
};

/// Computes sums += weight · x over 16 places.
template <int Bytes>
[[gnu::always_inline]] inline void add_lanes(const float* weight, const float* x, Lanes<Bytes>& sums) {
#pragma GCC unroll 4
  for (int v = 0; v < Lanes<Bytes>::parts; ++v) {
    typename Simd<float, Bytes>::Vector w, factor;
    std::memcpy(&w, weight + v * Lanes<Bytes>::width, sizeof w);
    std::memcpy(&factor, x + v * Lanes<Bytes>::width, sizeof factor);
    sums.part[v] += w * factor;
  }
}

/// Computes sums += weight · x over 16 pairs. The lower half of a word is its even place, and bf16 is the upper half of
/// fp32.
template <int Bytes>
[[gnu::always_inline]] inline void add_lanes(const std::uint16_t* weight, const float* even, const float* odd,
                                             Lanes<Bytes>& sums) {
#pragma GCC unroll 4
  for (int v = 0; v < Lanes<Bytes>::parts; ++v) {
    typename Simd<std::uint32_t, Bytes>::Vector pairs;
    typename Simd<float, Bytes>::Vector x_even, x_odd, w_even, w_odd;
    std::memcpy(&pairs, weight + 2 * v * Lanes<Bytes>::width, sizeof pairs);
    std::memcpy(&x_even, even + v * Lanes<Bytes>::width, sizeof x_even);
    std::memcpy(&x_odd, odd + v * Lanes<Bytes>::width, sizeof x_odd);
    const auto low = pairs << 16, high = pairs & 0xffff0000u;
    std::memcpy(&w_even, &low, sizeof w_even);
    std::memcpy(&w_odd, &high, sizeof w_odd);
    sums.part[v] += w_even * x_even + w_odd * x_odd;
  }
}

template <int Bytes>
[[gnu::always_inline]] inline float sum_of_all(const Lanes<Bytes> (&sums)[kSums]) {
  typename Simd<float, Bytes>::Vector all = {};
#pragma GCC unroll 4
  for (int v = 0; v < Lanes<Bytes>::parts; ++v)
    all += (sums[0].part[v] + sums[1].part[v]) + (sums[2].part[v] + sums[3].part[v]);
  return sum_of<float, Bytes>(all);
}

/// Sums `step` values at a time by add(sum, at), and the rest by at_end(i).
template <int Bytes, typename Add, typename AtEnd>
[[gnu::always_inline]] inline float sum_row(std::int64_t inner, std::int64_t step, const Add& add,
                                            const AtEnd& at_end) {
  Lanes<Bytes> sums[kSums] = {};
  std::int64_t i = 0;
  for (; i + kSums * step <= inner; i += kSums * step)
    for (std::int64_t s = 0; s < kSums; ++s) add(sums[s], i + s * step);
  for (; i + step <= inner; i += step) add(sums[0], i);
  float rest = 0;
  for (; i < inner; ++i) rest += at_end(i);
  return rest + sum_of_all<Bytes>(sums);
}

/// Computes out[row] = weight[row] · x for rows [first, last). It takes row after row, because prefetching from memory
/// works best with a single stream.
template <int Bytes>
[[gnu::always_inline]] inline void multiply(const std::uint16_t* weight, const SplitRow& x, std::uint16_t* out,
                                            std::int64_t first, std::int64_t last, std::int64_t inner) {
  const float *even = x.even.data(), *odd = x.odd.data();
  for (std::int64_t r = first; r < last; ++r) {
    const std::uint16_t* row = weight + r * inner;
    const auto add = [&](Lanes<Bytes> & sum, std::int64_t i) __attribute__((always_inline)) {
      add_lanes<Bytes>(row + i, even + i / 2, odd + i / 2, sum);
    };
    const auto at_end = [&](std::int64_t i) {
      const float* half = i % 2 == 0 ? even : odd;
      return upcast(row[i]) * half[i / 2];
    };
    out[r] = narrow(sum_row<Bytes>(inner, 2 * kLanes, add, at_end));
  }
}

template <int Bytes>
[[gnu::always_inline]] inline void multiply(const float* weight, const float* x, float* out, std::int64_t first,
                                            std::int64_t last, std::int64_t inner) {
  for (std::int64_t r = first; r < last; ++r) {
    const float* row = weight + r * inner;
    const auto add = [&](Lanes<Bytes> & sum, std::int64_t i) __attribute__((always_inline)) {
      add_lanes<Bytes>(row + i, x + i, sum);
    };
    out[r] = sum_row<Bytes>(inner, kLanes, add, [&](std::int64_t i) { return row[i] * x[i]; });
  }
}

#define CARRYOVER_ROWS(unused, TARGET, BYTES)                                                                       \
  TARGET void multiply_rows(const std::uint16_t* weight, const SplitRow& x, std::uint16_t* out, std::int64_t first, \
                            std::int64_t last, std::int64_t inner) {                                                \
    multiply<BYTES>(weight, x, out, first, last, inner);                                                            \
  }                                                                                                                 \
  TARGET void multiply_rows(const float* weight, const float* x, float* out, std::int64_t first, std::int64_t last, \
                            std::int64_t inner) {                                                                   \
    multiply<BYTES>(weight, x, out, first, last, inner);                                                            \
  }
CARRYOVER_FOR_TARGETS(CARRYOVER_ROWS, )
#undef CARRYOVER_ROWS

}  // namespace

bool has_row_matmul(const at::Tensor& x, const at::Tensor& weight) {
  return x.is_cpu() && x.dim() == 2 && x.size(0) == 1 && weight.is_contiguous() &&
         x.scalar_type() == weight.scalar_type() && (x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kFloat);
}

at::Tensor row_matmul(const at::Tensor& x, const at::Tensor& weight) {
  const std::int64_t outer = weight.size(0), inner = weight.size(1);
  at::Tensor out = at::empty({1, outer}, x.options());
  if (x.scalar_type() == at::kFloat) {
    const at::Tensor dense = x.contiguous();
    const float *row = dense.const_data_ptr<float>(), *rows = weight.const_data_ptr<float>();
    float* sums = out.mutable_data_ptr<float>();
    parallel_for(0, outer, grain_of(inner / 2),
                 [&](std::int64_t first, std::int64_t last) { multiply_rows(rows, row, sums, first, last, inner); });
    return out;
  }
  const SplitRow row = split(x);
  const auto* rows = reinterpret_cast<const std::uint16_t*>(weight.const_data_ptr<at::BFloat16>());
  auto* sums = reinterpret_cast<std::uint16_t*>(out.mutable_data_ptr<at::BFloat16>());
  parallel_for(0, outer, grain_of(inner / 2),
               [&](std::int64_t first, std::int64_t last) { multiply_rows(rows, row, sums, first, last, inner); });
  return out;
}

}  // namespace carryover::ops
