// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the kernels that load and store whole packs of neighbouring elements if these are aligned.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/element.h"

namespace carryover::kernels {

CARRYOVER_HOST_DEVICE inline bool aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

/// Calls run(element, width), both as types. The width is as many elements as 16 bytes hold if `packs` and the kernel's
/// own takes_packs(args, width) allow it, else one. Returns true if it ran by packs.
template <typename Args, typename Run>
bool over_packs(const Args& args, const Run& run, bool packs = true) {
  return visit_element(args.type, [&](auto element) {
    constexpr int width = 16 / sizeof element;
    const bool fits = packs && takes_packs(args, width);
    if (fits)
      run(element, std::integral_constant<int, width>());
    else
      run(element, std::integral_constant<int, 1>());
    return fits;
  });
}

}  // namespace carryover::kernels
