// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/weight_halves.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/ops/cpu/simd_rows.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

constexpr std::uint32_t kQuietNan = 0x7fc00000u;

CARRYOVER_VECTORISED void join(const std::uint16_t* high, const std::uint16_t* low, std::uint32_t* fp32,
                               std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)  // a low half of 0x8000 or more means that the high half was rounded up
    fp32[i] = ((static_cast<std::uint32_t>(high[i]) - (low[i] >> 15)) << 16) | low[i];
}

CARRYOVER_VECTORISED void split(const std::uint32_t* fp32, std::uint16_t* high, std::uint16_t* low, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t bits = (fp32[i] & 0x7fffffffu) > 0x7f800000u ? kQuietNan : fp32[i];
    high[i] = static_cast<std::uint16_t>((bits + 0x8000u) >> 16);
    low[i] = static_cast<std::uint16_t>(bits);
  }
}

template <typename T>
T* words(const at::Tensor& tensor) {
  CARRYOVER_CHECK(tensor.is_contiguous() && tensor.itemsize() == sizeof(T));
  return static_cast<T*>(tensor.mutable_data_ptr());
}

template <typename Work>
void in_parallel(std::int64_t n, const Work& work) {
  constexpr std::int64_t block = 4096;
  parallel_for(0, (n + block - 1) / block, grain_of(block), [&](std::int64_t begin, std::int64_t end) {
    work(begin * block, std::min(n, end * block) - begin * block);
  });
}

}  // namespace

at::Tensor join_halves_on_device(const at::Tensor& high, const at::Tensor& low) {
  const at::Tensor upper = high.view(at::kShort).to(at::kInt) - low.lt(0).to(at::kInt);
  return upper.bitwise_left_shift(16).bitwise_or(low.to(at::kInt).bitwise_and(0xffff)).view(at::kFloat);
}

void split_halves_on_device(const at::Tensor& fp32, at::Tensor high, at::Tensor low) {
  const at::Tensor bits = fp32.view(at::kInt).masked_fill(fp32.isnan(), static_cast<std::int64_t>(kQuietNan));
  low.copy_(bits);
  high.view(at::kShort).copy_(bits.bitwise_right_shift(16) + bits.bitwise_right_shift(15).bitwise_and(1));
}

at::Tensor join_halves(const at::Tensor& high, const at::Tensor& low) {
  if (!high.is_cpu()) return join_halves_on_device(high, low);
  at::Tensor fp32 = at::empty(high.sizes(), high.options().dtype(at::kFloat));
  const auto *upper = words<std::uint16_t>(high), *lower = words<std::uint16_t>(low);
  auto* const to = words<std::uint32_t>(fp32);
  in_parallel(fp32.numel(),
              [&](std::int64_t first, std::int64_t n) { join(upper + first, lower + first, to + first, n); });
  return fp32;
}

void split_halves(const at::Tensor& fp32, at::Tensor high, at::Tensor low) {
  if (!fp32.is_cpu()) return split_halves_on_device(fp32, high, low);
  const auto* const from = words<std::uint32_t>(fp32);
  auto *upper = words<std::uint16_t>(high), *lower = words<std::uint16_t>(low);
  in_parallel(fp32.numel(),
              [&](std::int64_t first, std::int64_t n) { split(from + first, upper + first, lower + first, n); });
}

}  // namespace carryover::ops
