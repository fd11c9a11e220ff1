// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#ifdef __x86_64__
// Compiles one source for several vector widths; the best that the processor has is chosen.
#define CARRYOVER_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
// Calls define(T, target, bytes) for each vector width, with the attribute of a function that is compiled for it; the
// processor's own is chosen when the library is loaded. Wider vectors than a target's own are split through memory by
// g++ 12.
#define CARRYOVER_FOR_TARGETS(define, T)                                                     \
  define(T, [[gnu::target("default")]], 16) define(T, [[gnu::target("arch=x86-64-v3")]], 32) \
      define(T, [[gnu::target("arch=x86-64-v4")]], 64)
#else
// Every arm64 processor has NEON's vectors of 16 bytes.
#define CARRYOVER_VECTORISED
#define CARRYOVER_FOR_TARGETS(define, T) define(T, , 16)
#endif
// Dispatches over the dtypes that models run in.
#define CARRYOVER_DISPATCH(type, name, ...) AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, type, name, __VA_ARGS__)

/// Common parts of the CPU's own loops: rows are converted to fp32 in a buffer that stays in the first-level cache, so
/// that the loops work on plain floats. Any thread.
namespace carryover::ops {

inline void load(const float* in, float* out, std::int64_t n) {
  std::copy(in, in + n, out);
}
inline void load(const double* in, double* out, std::int64_t n) {
  std::copy(in, in + n, out);
}
inline void store(const float* in, float* out, std::int64_t n) {
  std::copy(in, in + n, out);
}
inline void store(const double* in, double* out, std::int64_t n) {
  std::copy(in, in + n, out);
}
void load(const at::BFloat16* in, float* out, std::int64_t n);
void store(const float* in, at::BFloat16* out, std::int64_t n);  ///< rounds to the nearest, ties to even

/// Loads rows of d int8 values with a scale each: out = scale · in.
void load(const std::int8_t* in, const float* scales, float* out, std::int64_t rows, std::int64_t d);
/// Rounds one row to int8, to the nearest, ties to even. Returns its scale, the largest magnitude / 127, or NaN if a
/// value is not finite, so that the row stays invalid.
float quantise(const float* in, std::int8_t* out, std::int64_t n);

// Bounds of x for exp_within(): from 2^127.5 on, its power is infinite, as it should be.
inline constexpr float kLeastExponent = -87, kMostExponent = 89;
// Returns e^x for x within these bounds, or for NaN, by range reduction and a degree-7 polynomial (relative error under
// 2e-7): std::exp does not vectorise.
inline float exp_within(float x) {
  const float k = std::nearbyint(x * 1.44269504f);
  const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.9841270e-4f;
  p = p * r + 1.3888889e-3f;
  p = p * r + 8.3333333e-3f;
  p = p * r + 4.1666667e-2f;
  p = p * r + 1.6666667e-1f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const std::int32_t bits = (static_cast<std::int32_t>(k) + 127) << 23;
  float power;
  __builtin_memcpy(&power, &bits, sizeof power);
  return p * power;
}
inline double exp_within(double x) {
  return std::exp(x);
}
inline float fast_exp(float x) {
  return exp_within(x > kMostExponent ? kMostExponent : (x < kLeastExponent ? kLeastExponent : x));
}
inline double fast_exp(double x) {
  return std::exp(x);
}
/// Computes x = e^(x − shift) and returns the sum of the results.
float exponentiate(float* x, float shift, std::int64_t n);
double exponentiate(double* x, double shift, std::int64_t n);
/// Computes x = cap · tanh(x / cap), in fp32 within 4e-7 of the result. slopes: null, or [n], which gets the derivative
/// of each, 1 − tanh².
void soft_cap(float* x, float cap, std::int64_t n, float* slopes = nullptr);
void soft_cap(double* x, double cap, std::int64_t n, double* slopes = nullptr);
/// Returns the greatest value that is not NaN, or −inf if there is none.
float largest(const float* x, std::int64_t n);
double largest(const double* x, std::int64_t n);

template <typename T, int Bytes>
struct Simd {
  typedef T Vector __attribute__((vector_size(Bytes)));
};

/// Adds to a vector its own lanes in another order: lane i gets lane i ^ Distance.
template <int Distance, typename Vector, int... Lane>
[[gnu::always_inline]] inline void add_shuffled(Vector& v, std::integer_sequence<int, Lane...>) {
  v += __builtin_shufflevector(v, v, (Lane ^ Distance)...);
}
/// Computes the sum of a vector's lanes and leaves it in each of them.
template <int Distance, typename Vector, typename Lanes>
[[gnu::always_inline]] inline void sum_lanes(Vector& v, Lanes lanes) {
  if constexpr (Distance > 0) {
    add_shuffled<Distance>(v, lanes);
    sum_lanes<Distance / 2>(v, lanes);
  }
}
template <typename T, int Bytes>
[[gnu::always_inline]] inline T sum_of(typename Simd<T, Bytes>::Vector& v) {
  constexpr int width = Bytes / sizeof(T);
  sum_lanes<width / 2>(v, std::make_integer_sequence<int, width>());
  return v[0];
}

}  // namespace carryover::ops
