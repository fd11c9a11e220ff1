// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// Rotates unrotated keys at consecutive positions first..first+length-1 (app:rope), in the split-half layout of HF
/// LLaMA: pairs (c, c + d/2). first may be negative: a prefix of P keys stands at -P..-1 when its segment starts at 0.
struct RopePrefix {
  const void* input;  ///< [rows, length, d]; a row is a head
  Element type;
  const float* inverse_frequency;  ///< [d/2]; angle = position · inverse_frequency, cos and sin in fp32 (fp64: in fp64)
  float attention_scale;           ///< multiplies cos and sin; 1 for the kinds supported today
  std::int64_t first_position;
  std::int32_t rows, length, head_dim;
  void* output;  ///< [rows, length, d]; may be the input
};
namespace reference {
Status rope_prefix(const RopePrefix& args, Stream stream);
}
Status rope_prefix(const RopePrefix& args, Stream stream);

}  // namespace carryover::kernels
