// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/wide_rows.h"

namespace carryover::ops {

namespace {

CARRYOVER_VECTORISED void widen(const std::uint16_t* in, std::uint32_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<std::uint32_t>(in[i]) << 16;
}
CARRYOVER_VECTORISED void narrow(const std::uint32_t* in, std::uint16_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {  // NaN stays NaN
    const std::uint32_t bits = in[i];
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    out[i] = static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
  }
}

}  // namespace

void load(const at::BFloat16* in, float* out, std::int64_t n) {
  widen(reinterpret_cast<const std::uint16_t*>(in), reinterpret_cast<std::uint32_t*>(out), n);
}
void store(const float* in, at::BFloat16* out, std::int64_t n) {
  narrow(reinterpret_cast<const std::uint32_t*>(in), reinterpret_cast<std::uint16_t*>(out), n);
}

}  // namespace carryover::ops
