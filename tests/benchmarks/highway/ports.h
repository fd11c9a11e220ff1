// SPDX-License-Identifier: GPL-3.0-or-later
// The SIMD loops of engine/ops/cpu in Highway 1.0.3. No #pragma once: foreach_target.h includes it for each target.
#include <hwy/highway.h>
//
#include <hwy/contrib/math/math-inl.h>

#include <cstdint>
#include <cstring>
#include <limits>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace ports::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
constexpr hn::ScalableTag<float> f32;
constexpr hn::RebindToUnsigned<decltype(f32)> u32;
constexpr hn::RebindToSigned<decltype(f32)> i32;
constexpr hn::Repartition<hwy::bfloat16_t, decltype(f32)> bf16;
constexpr hn::Repartition<std::int16_t, decltype(f32)> i16;
constexpr hn::Rebind<std::uint16_t, decltype(f32)> half_u16;
using V = hn::Vec<decltype(f32)>;
using Words = hn::Vec<decltype(i32)>;
constexpr std::int64_t kWidth = HWY_MAX_BYTES / sizeof(float), kParts = 16 / kWidth;

/// fast_exp. Min and Max return their second argument where one is NaN.
HWY_INLINE V exponential(V x) {
  x = hn::Max(hn::Set(f32, -87.0f), hn::Min(hn::Set(f32, 89.0f), x));
  const V k = hn::Round(hn::Mul(x, hn::Set(f32, 1.44269504f)));
  const V r = hn::MulAdd(k, hn::Set(f32, 2.12194440e-4f), hn::NegMulAdd(k, hn::Set(f32, 0.693359375f), x));
  V p = hn::Set(f32, 1.9841270e-4f);
  for (const float c : {1.3888889e-3f, 8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f})
    p = hn::MulAdd(p, r, hn::Set(f32, c));
  return hn::Mul(p, hn::BitCast(f32, hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(i32, k), hn::Set(i32, 127)))));
}

/// x = e^(x − its largest), for whole sixteens. By fast_exp, or by Highway's Exp.
template <bool Fast>
float softmax(float* x, std::int64_t n) {
  V most[kParts], sums[kParts];
  for (V& part : most) part = hn::Set(f32, -std::numeric_limits<float>::infinity());
  for (V& part : sums) part = hn::Zero(f32);
  for (std::int64_t i = 0; i < n; i += 16)
    for (std::int64_t v = 0; v < kParts; ++v) most[v] = hn::Max(hn::LoadU(f32, x + i + v * kWidth), most[v]);
  for (const V& part : most) most[0] = hn::Max(part, most[0]);
  const V top = hn::MaxOfLanes(f32, most[0]);
  for (std::int64_t i = 0; i < n; i += 16)
    for (std::int64_t v = 0; v < kParts; ++v) {
      const V shifted = hn::Sub(hn::LoadU(f32, x + i + v * kWidth), top);
      V e;
      if constexpr (Fast)
        e = exponential(shifted);
      else
        e = hn::Exp(f32, shifted);
      hn::StoreU(e, f32, x + i + v * kWidth);
      sums[v] = hn::Add(sums[v], e);
    }
  for (std::int64_t v = 1; v < kParts; ++v) sums[0] = hn::Add(sums[0], sums[v]);
  return hn::GetLane(hn::SumOfLanes(f32, sums[0]));
}

/// To the nearest bf16, ties to even: DemoteTo would cut off.
HWY_INLINE void store_bf16(V value, std::uint16_t* out) {
  const auto bits = hn::BitCast(u32, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u32, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(u32, 0x7fff))));
  const auto kept = hn::IfThenElse(hn::RebindMask(u32, hn::IsNaN(value)), hn::Set(u32, 0x7fc0), rounded);
  hn::StoreU(hn::DemoteTo(half_u16, hn::BitCast(i32, kept)), half_u16, out);
}
void narrow(const float* in, std::uint16_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += kWidth) store_bf16(hn::LoadU(f32, in + i), out + i);
}
/// bf16 attention's weights of scores below 0.
void weights(const float* scores, std::uint16_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += kWidth) store_bf16(exponential(hn::LoadU(f32, scores + i)), out + i);
}

/// weight_halves' join.
void join(const std::uint16_t* high, const std::uint16_t* low, std::uint32_t* fp32, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += kWidth) {
    const auto lower = hn::LoadU(half_u16, low + i);
    const auto upper =
        hn::Sub(hn::PromoteTo(u32, hn::LoadU(half_u16, high + i)), hn::PromoteTo(u32, hn::ShiftRight<15>(lower)));
    hn::StoreU(hn::Or(hn::ShiftLeft<16>(upper), hn::PromoteTo(u32, lower)), u32, fp32 + i);
  }
}

/// row_matmul of bf16, for whole 128s. With x split beforehand, or by ReorderWidenMulAccumulate of x in bf16.
template <bool Split>
void multiply_rows(const std::uint16_t* weight, const std::uint16_t* x, const float* even, const float* odd, float* out,
                   std::int64_t rows, std::int64_t inner) {
  constexpr std::int64_t count = 4 * kParts;
  for (std::int64_t r = 0; r < rows; ++r, weight += inner) {
    V sums[count], others[count];
    for (V& sum : sums) sum = hn::Zero(f32);
    for (V& sum : others) sum = hn::Zero(f32);
    for (std::int64_t i = 0; i < inner; i += 128)
#pragma GCC unroll 8
      for (std::int64_t s = 0; s < count; ++s) {
        const std::int64_t at = i + s * 2 * kWidth;
        const auto pairs = hn::LoadU(bf16, reinterpret_cast<const hwy::bfloat16_t*>(weight + at));
        if constexpr (Split) {
          const auto bits = hn::BitCast(u32, pairs);
          const V w_even = hn::BitCast(f32, hn::ShiftLeft<16>(bits));
          const V w_odd = hn::BitCast(f32, hn::And(bits, hn::Set(u32, 0xffff0000u)));
          const V of_even = hn::MulAdd(w_even, hn::LoadU(f32, even + at / 2), sums[s]);
          sums[s] = hn::MulAdd(w_odd, hn::LoadU(f32, odd + at / 2), of_even);
        } else {
          const auto factors = hn::LoadU(bf16, reinterpret_cast<const hwy::bfloat16_t*>(x + at));
          sums[s] = hn::ReorderWidenMulAccumulate(f32, pairs, factors, sums[s], others[s]);
        }
      }
    for (std::int64_t s = 0; s < count; ++s) sums[0] = hn::Add(s > 0 ? hn::Add(sums[0], sums[s]) : sums[0], others[s]);
    out[r] = hn::GetLane(hn::SumOfLanes(f32, sums[0]));
  }
}

/// pool_scan's score.
bool score_tile(const float* summaries, const float* keys, std::int64_t d, const float* floors, float* scores) {
  V sums[6][kParts];
#pragma GCC unroll 6
  for (auto& key : sums)
#pragma GCC unroll 2
    for (V& sum : key) sum = hn::Zero(f32);
  for (std::int64_t c = 0; c < d; ++c) {
    V summary[kParts];
    for (std::int64_t v = 0; v < kParts; ++v) summary[v] = hn::LoadU(f32, summaries + c * 16 + v * kWidth);
#pragma GCC unroll 6
    for (std::int64_t key = 0; key < 6; ++key)
#pragma GCC unroll 2
      for (std::int64_t v = 0; v < kParts; ++v)
        sums[key][v] = hn::MulAdd(summary[v], hn::Set(f32, keys[key * d + c]), sums[key][v]);
  }
  auto passed_over = hn::FirstN(f32, kWidth);
#pragma GCC unroll 6
  for (std::int64_t key = 0; key < 6; ++key)
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < kParts; ++v) {
      passed_over = hn::And(passed_over, hn::Le(sums[key][v], hn::LoadU(f32, floors + v * kWidth)));
      hn::StoreU(sums[key][v], f32, scores + key * 16 + v * kWidth);
    }
  return !hn::AllTrue(f32, passed_over);
}

/// packed_weight's multiply_group, by 16-bit pairs: there is no product of bytes.
void multiply_group(const std::uint8_t* group, std::int64_t blocks, const std::int16_t* x, const float* x_scales,
                    const std::int32_t* offsets, float* out) {
  constexpr hn::Rebind<hwy::float16_t, decltype(f32)> fp16;
  V sums[kParts];
  for (V& sum : sums) sum = hn::Zero(f32);
  for (std::int64_t block = 0; block < blocks; ++block, group += 544, x += 32) {
    Words products[kParts], unused = hn::Zero(i32);
    for (Words& product : products) product = hn::Set(i32, -offsets[block]);
#pragma GCC unroll 2
    for (std::int64_t quad = 0; quad < 8; ++quad) {
      std::int32_t pairs[2];
      std::memcpy(pairs, x + quad * 4, sizeof pairs);
      const auto even = hn::BitCast(i16, hn::Set(i32, pairs[0])), odd = hn::BitCast(i16, hn::Set(i32, pairs[1]));
#pragma GCC unroll 2
      for (std::int64_t v = 0; v < kParts; ++v) {
        const auto* const at = reinterpret_cast<const std::uint32_t*>(group + 32 + quad * 64) + v * kWidth;
        const auto bytes = hn::LoadU(u32, at);
        const auto low = hn::BitCast(i16, hn::And(bytes, hn::Set(u32, 0x00ff00ff)));
        const auto high =
            hn::BitCast(i16, hn::ShiftRight<8>(hn::BitCast(hn::Repartition<std::uint16_t, decltype(u32)>(), bytes)));
        const Words of_even = hn::ReorderWidenMulAccumulate(i32, low, even, hn::Zero(i32), unused);
        products[v] = hn::Add(products[v], hn::ReorderWidenMulAccumulate(i32, high, odd, of_even, unused));
      }
    }
    for (std::int64_t v = 0; v < kParts; ++v) {
      const auto* const scales = reinterpret_cast<const hwy::float16_t*>(group) + v * kWidth;
      const V scale = hn::Mul(hn::PromoteTo(f32, hn::LoadU(fp16, scales)), hn::Set(f32, x_scales[block]));
      sums[v] = hn::MulAdd(hn::ConvertTo(f32, products[v]), scale, sums[v]);
    }
  }
  for (std::int64_t v = 0; v < kParts; ++v) hn::StoreU(sums[v], f32, out + v * kWidth);
}

#if HWY_TARGET == HWY_AVX3
/// Dots::multiply of 64 columns without what was there, three rows at a time: a sum is two registers.
void multiply_tile(const std::uint16_t* rows, std::int64_t stride, const std::uint16_t* columns, std::int64_t pairs,
                   std::int64_t pair_stride, std::int64_t column_stride, float* out, std::int64_t out_stride) {
  V sums[3][4][2];
#pragma GCC unroll 24
  for (std::int64_t i = 0; i < 24; ++i) sums[i / 8][i / 2 % 4][i % 2] = hn::Zero(f32);
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    hn::Vec<decltype(bf16)> column[4];
    for (std::int64_t c = 0; c < 4; ++c) {
      const std::uint16_t* const at = columns + pair * pair_stride + c * column_stride;
      column[c] = hn::LoadU(bf16, reinterpret_cast<const hwy::bfloat16_t*>(at));
    }
#pragma GCC unroll 12
    for (std::int64_t i = 0; i < 12; ++i) {
      std::uint32_t both;
      std::memcpy(&both, rows + i / 4 * stride + 2 * pair, sizeof both);
      V(&sum)[2] = sums[i / 4][i % 4];
      sum[0] = hn::ReorderWidenMulAccumulate(f32, hn::BitCast(bf16, hn::Set(u32, both)), column[i % 4], sum[0], sum[1]);
    }
  }
#pragma GCC unroll 12
  for (std::int64_t i = 0; i < 12; ++i) {
    const V(&sum)[2] = sums[i / 4][i % 4];
    hn::StoreU(hn::Add(sum[0], sum[1]), f32, out + i / 4 * out_stride + i % 4 * kWidth);
  }
}
#endif

}  // namespace ports::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
