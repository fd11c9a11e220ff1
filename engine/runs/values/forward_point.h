// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carryover {

/// A point of a layer's forward pass, in the order in which a layer comes to them. Each holds one row per token.
enum class ForwardPoint : std::uint8_t {
  Entering,     ///< [m, D], the residual stream before the layer
  Queries,      ///< [m, H·d], the heads' queries side by side, before RoPE
  Keys,         ///< [m, H_kv·d], likewise
  Values,       ///< [m, H_kv·d]
  HeadOutputs,  ///< [m, H·d], the outputs of the heads side by side, before the output projection
  Attention,    ///< [m, D], what attention adds to the residual stream
  Attended,     ///< [m, D], the residual stream after the layer's attention
  Neurons,      ///< [m, I], what the down-projection of the feed-forward reads
  FeedForward,  ///< [m, D], what the feed-forward adds to the residual stream
  Leaving,      ///< [m, D], the residual stream after the layer
};
/// The names that TransformerLens has for the same values.
inline constexpr std::array<std::string_view, 10> kForwardPointNames = {
    "resid_pre", "q", "k", "v", "z", "attn_out", "resid_mid", "post", "mlp_out", "resid_post"};
constexpr std::string_view forward_point_name(ForwardPoint point) {
  return kForwardPointNames[static_cast<std::size_t>(point)];
}

/// A point of one layer.
struct PointRef {
  int layer = 0;
  ForwardPoint point = ForwardPoint::Entering;
  auto operator<=>(const PointRef&) const = default;  // NOLINT(modernize-use-nullptr): for the code that it makes
};

}  // namespace carryover
