// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace carryover {

/// A point of a layer's forward pass, in the order in which a layer comes to them. Each holds one row per token.
enum class ForwardPoint {
  Entering,     ///< [m, D], the residual stream before the layer
  HeadOutputs,  ///< [m, H·d], the outputs of the heads side by side, before the output projection
  Attention,    ///< [m, D], what attention adds to the residual stream
  FeedForward,  ///< [m, D], what the feed-forward adds to the residual stream
};
/// The names that TransformerLens has for the same values.
constexpr std::array<std::string_view, 4> kForwardPointNames = {"resid_pre", "z", "attn_out", "mlp_out"};
constexpr std::string_view forward_point_name(ForwardPoint point) {
  return kForwardPointNames[static_cast<std::size_t>(point)];
}

}  // namespace carryover
