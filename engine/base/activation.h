// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// The activation of a feed-forward's gate.
enum class Activation {
  Silu,      ///< x · σ(x)
  GeluTanh,  ///< x · σ(2·√(2/π)·(x + 0.044715·x³)), which is GELU in its approximation by tanh
};

}  // namespace carryover
