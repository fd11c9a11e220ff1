// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// The activation of a feed-forward, or of its gate where it has one.
enum class Activation {
  Silu,      ///< x · σ(x)
  GeluTanh,  ///< x · σ(2·√(2/π)·(x + 0.044715·x³)), which is GELU in its approximation by tanh
  Gelu,      ///< x · Φ(x); only of a feed-forward without a gate
};

}  // namespace carryover
