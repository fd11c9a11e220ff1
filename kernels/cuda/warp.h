// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::kernels {

inline constexpr int warp_size = 32;
inline constexpr unsigned full_warp = 0xffffffffu;

}  // namespace carryover::kernels
