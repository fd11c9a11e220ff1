// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/simd_rows.h"

#include <cstring>
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
/// Returns the largest magnitude as bits, which order as the numbers do, with NaN above infinity.
CARRYOVER_VECTORISED std::int32_t largest_magnitude(const std::int32_t* in, std::int64_t n) {
  std::int32_t most = 0;
  for (std::int64_t i = 0; i < n; ++i) most = std::max(most, in[i] & 0x7fffffff);
  return most;
}
CARRYOVER_VECTORISED void divide(const float* in, float scale, std::int8_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)  // a scale of few bits may be rounded down
    out[i] = static_cast<std::int8_t>(std::clamp(static_cast<std::int32_t>(std::nearbyint(in[i] / scale)), -127, 127));
}

/// Returns tanh(x): a quotient of polynomials in x² that was fitted on [−8, 8], behind which tanh is ±1. Unlike
/// std::tanh, a loop over it vectorises.
inline float fast_tanh(float x) {
  constexpr float most = 7.90531110763549805f;
  constexpr float numerator[] = {-2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f,
                                 5.12229709037114e-08f,  1.48572235717979e-05f, 6.37261928875436e-04f,
                                 4.89352455891786e-03f};
  constexpr float denominator[] = {1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f,
                                   4.89352518554385e-03f};
  x = x > most ? most : (x < -most ? -most : x);
  const float square = x * x;
  float above = 0, below = 0;
  for (const float factor : numerator) above = above * square + factor;
  for (const float factor : denominator) below = below * square + factor;
  return x * above / below;
}

CARRYOVER_VECTORISED void cap_row(float* x, float cap, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = cap * fast_tanh(x[i] / cap);
}
CARRYOVER_VECTORISED void cap_row(float* x, float cap, std::int64_t n, float* slopes) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float share = fast_tanh(x[i] / cap);
    x[i] = cap * share;
    slopes[i] = 1 - share * share;
  }
}

// Sixteen lanes are compared as vectors, because g++ 12 turns comparisons in a loop over them into scalars, or into
// masks and blends.
template <typename T, int Bytes>
[[gnu::always_inline]] inline T exponentiate_lanes(T* x, T shift, std::int64_t n) {
  using Vector = typename Simd<T, Bytes>::Vector;
  constexpr int width = Bytes / sizeof(T);
  T lanes[kLanes] = {}, within[kLanes], sum = 0;
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int lane = 0; lane < kLanes; lane += width) {
      Vector v;
      std::memcpy(&v, x + i + lane, sizeof v);
      v -= shift;
      if constexpr (std::is_same_v<T, float>) {
        const Vector most = Vector{} + kMostExponent, least = Vector{} + kLeastExponent;
        v = v > most ? most : v;
        v = v < least ? least : v;
      }
      std::memcpy(within + lane, &v, sizeof v);
    }
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane] = exp_within(within[lane]);
  }
  for (; i < n; ++i) sum += x[i] = fast_exp(x[i] - shift);
  for (T lane : lanes) sum += lane;
  return sum;
}

template <typename T, int Bytes>
[[gnu::always_inline]] inline T largest_of_lanes(const T* x, std::int64_t n) {
  using Vector = typename Simd<T, Bytes>::Vector;
  constexpr int width = Bytes / sizeof(T), vectors = kLanes / width;
  Vector lanes[vectors], v;
  for (Vector& part : lanes) part = Vector{} - std::numeric_limits<T>::infinity();
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int part = 0; part < vectors; ++part) {
      std::memcpy(&v, x + i + part * width, sizeof v);
      lanes[part] = v > lanes[part] ? v : lanes[part];
    }
  T most = -std::numeric_limits<T>::infinity();
  for (; i < n; ++i) most = most < x[i] ? x[i] : most;
  for (const Vector& part : lanes)
    for (int lane = 0; lane < width; ++lane) most = most < part[lane] ? part[lane] : most;
  return most;
}

#define CARRYOVER_ROW_LOOPS(T, TARGET, BYTES)                \
  TARGET T exponentiate_row(T* x, T shift, std::int64_t n) { \
    return exponentiate_lanes<T, BYTES>(x, shift, n);        \
  }                                                          \
  TARGET T largest_of_row(const T* x, std::int64_t n) {      \
    return largest_of_lanes<T, BYTES>(x, n);                 \
  }
CARRYOVER_FOR_TARGETS(CARRYOVER_ROW_LOOPS, float)
#undef CARRYOVER_ROW_LOOPS

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

float exponentiate(float* x, float shift, std::int64_t n) {
  return exponentiate_row(x, shift, n);
}
double exponentiate(double* x, double shift, std::int64_t n) {
  return exponentiate_lanes<double, 16>(x, shift, n);
}
void soft_cap(float* x, float cap, std::int64_t n, float* slopes) {
  if (slopes == nullptr) return cap_row(x, cap, n);
  cap_row(x, cap, n, slopes);
}
void soft_cap(double* x, double cap, std::int64_t n, double* slopes) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double share = std::tanh(x[i] / cap);
    x[i] = cap * share;
    if (slopes != nullptr) slopes[i] = 1 - share * share;
  }
}
float largest(const float* x, std::int64_t n) {
  return largest_of_row(x, n);
}
double largest(const double* x, std::int64_t n) {
  return largest_of_lanes<double, 16>(x, n);
}

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
