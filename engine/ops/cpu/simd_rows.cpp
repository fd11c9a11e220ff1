// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/simd_rows.h"

#include <limits>

namespace carryover::ops {

namespace {

constexpr int kLanes = 16;

CARRYOVER_VECTORISED void upcast(const std::uint16_t* in, std::uint32_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<std::uint32_t>(in[i]) << 16;
}
CARRYOVER_VECTORISED void narrow(const std::uint32_t* in, std::uint16_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {  // NaN stays NaN
    const std::uint32_t bits = in[i];
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    out[i] = static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
  }
}

CARRYOVER_VECTORISED void upcast(const std::int8_t* in, float scale, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = scale * static_cast<float>(in[i]);
}
/// The largest magnitude, as bits: these order as the numbers do, NaN above infinity.
CARRYOVER_VECTORISED std::int32_t largest_magnitude(const std::int32_t* in, std::int64_t n) {
  std::int32_t most = 0;
  for (std::int64_t i = 0; i < n; ++i) most = std::max(most, in[i] & 0x7fffffff);
  return most;
}
CARRYOVER_VECTORISED void divide(const float* in, float scale, std::int8_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)  // a scale of few bits may be rounded down
    out[i] = static_cast<std::int8_t>(std::clamp(static_cast<std::int32_t>(std::nearbyint(in[i] / scale)), -127, 127));
}

}  // namespace

void load(const at::BFloat16* in, float* out, std::int64_t n) {
  upcast(reinterpret_cast<const std::uint16_t*>(in), reinterpret_cast<std::uint32_t*>(out), n);
}
void store(const float* in, at::BFloat16* out, std::int64_t n) {
  narrow(reinterpret_cast<const std::uint32_t*>(in), reinterpret_cast<std::uint16_t*>(out), n);
}
void load(const std::int8_t* in, const float* scales, float* out, std::int64_t rows, std::int64_t d) {
  for (std::int64_t row = 0; row < rows; ++row) upcast(in + row * d, scales[row], out + row * d, d);
}

#define CARRYOVER_ROW_LOOPS(T, vectorised)                                                                           \
  vectorised T exponentiate(T* x, T shift, std::int64_t n) {                                                         \
    T lanes[kLanes] = {}, sum = 0;                                                                                   \
    std::int64_t i = 0;                                                                                              \
    for (; i + kLanes <= n; i += kLanes)                                                                             \
      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane] = fast_exp(x[i + lane] - shift);          \
    for (; i < n; ++i) sum += x[i] = fast_exp(x[i] - shift);                                                         \
    for (T lane : lanes) sum += lane;                                                                                \
    return sum;                                                                                                      \
  }                                                                                                                  \
  vectorised T largest(const T* x, std::int64_t n) {                                                                 \
    T lanes[kLanes];                                                                                                 \
    for (T & lane : lanes) lane = -std::numeric_limits<T>::infinity();                                               \
    std::int64_t i = 0;                                                                                              \
    for (; i + kLanes <= n; i += kLanes)                                                                             \
      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = lanes[lane] < x[i + lane] ? x[i + lane] : lanes[lane]; \
    for (; i < n; ++i) lanes[0] = lanes[0] < x[i] ? x[i] : lanes[0];                                                 \
    T most = lanes[0];                                                                                               \
    for (T lane : lanes) most = most < lane ? lane : most;                                                           \
    return most;                                                                                                     \
  }
CARRYOVER_ROW_LOOPS(float, CARRYOVER_VECTORISED)
CARRYOVER_ROW_LOOPS(double, )
#undef CARRYOVER_ROW_LOOPS

float quantise(const float* in, std::int8_t* out, std::int64_t n) {
  const std::int32_t bits = largest_magnitude(reinterpret_cast<const std::int32_t*>(in), n);
  float most;
  __builtin_memcpy(&most, &bits, sizeof most);
  const float scale = most / 127;
  if (std::isfinite(scale) && scale > 0) {
    divide(in, scale, out, n);
    return scale;
  }
  std::fill_n(out, n, std::int8_t{0});
  return scale == 0 ? 0 : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace carryover::ops
