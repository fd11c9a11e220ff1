// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>

#include "kernels/launch.h"

#ifdef __CUDACC__
#define CARRYOVER_HOST_DEVICE __host__ __device__
#else
#define CARRYOVER_HOST_DEVICE
#endif

namespace carryover::kernels {

/// The storage of a bf16 number: the upper half of a float.
struct BFloat16 {
  std::uint16_t bits;
};

/// The type in which sums and angles of an element are computed: at least fp32.
template <typename T>
struct OpmathOf {
  using type = float;
};
template <>
struct OpmathOf<double> {
  using type = double;
};
template <typename T>
using Opmath = typename OpmathOf<T>::type;

CARRYOVER_HOST_DEVICE inline float to_opmath(float value) {
  return value;
}
CARRYOVER_HOST_DEVICE inline double to_opmath(double value) {
  return value;
}
CARRYOVER_HOST_DEVICE inline float to_opmath(BFloat16 value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value.bits) << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

CARRYOVER_HOST_DEVICE inline void narrow(float value, float& out) {
  out = value;
}
CARRYOVER_HOST_DEVICE inline void narrow(double value, double& out) {
  out = value;
}
/// Rounds to nearest, ties to even; NaN stays NaN.
CARRYOVER_HOST_DEVICE inline void narrow(float value, BFloat16& out) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const std::uint32_t rounded = nan ? bits | 0x00400000u : bits + 0x7fffu + ((bits >> 16) & 1u);
  out.bits = static_cast<std::uint16_t>(rounded >> 16);
}

/// `count` neighbouring elements that are loaded and stored at once, 16 bytes at a time.
template <typename T, int count>
struct alignas(sizeof(T) * count < 16 ? sizeof(T) * count : 16) Pack {
  T values[count];
};

/// Calls visit with a value of the C++ type for `type`, and returns its result.
template <typename Visit>
auto visit_element(Element type, Visit&& visit) {
  switch (type) {
    case Element::BFloat16:
      return visit(BFloat16{});
    case Element::Float64:
      return visit(double{});
    case Element::Float32:
      break;
  }
  return visit(float{});
}

inline std::int64_t element_bytes(Element type) {
  return visit_element(type, [](auto element) { return static_cast<std::int64_t>(sizeof element); });
}

}  // namespace carryover::kernels
