// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "tests/support/tiny_decoder.h"

namespace carryover::test {

/// A whole text at once through all layers, with attention as a reference defines it: from a layer's unrotated
/// projections its heads' outputs side by side, [n, H·d]. Hidden states, [n, D].
inline at::Tensor run_layers(const Decoder& decoder, const std::vector<std::int32_t>& ids,
                             const std::function<at::Tensor(int layer, const Decoder::Projections&)>& attend) {
  at::Tensor x = decoder.embed(as_tensor(ids));
  for (int layer = 0; layer < decoder.config.layers; ++layer) {
    x = decoder.add_attention(layer, x, attend(layer, decoder.project(layer, x, {})), {});
    x = decoder.add_feed_forward(layer, x, {});
  }
  return decoder.finish(x);
}

}  // namespace carryover::test
