// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Unrolls the next loop. Needed if its index selects registers, because these have no addresses.
#ifdef __CUDACC__
#define CARRYOVER_UNROLL _Pragma("unroll")
#else
#define CARRYOVER_UNROLL
#endif

namespace carryover::kernels {

inline constexpr int warp_size = 32;
inline constexpr unsigned full_warp = 0xffffffffu;

}  // namespace carryover::kernels
