// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <random>

#include "engine/runs/values/generate_request.h"

namespace carryover {

/// Chooses tokens: greedily at temperature 0, else from the smallest set with probability ≥ top_p. A seed gives the
/// same tokens on every device, because the draw is made on the CPU in fp64. Thread: engine.
class Sampler {
 public:
  explicit Sampler(const Sampling& sampling) : sampling_(sampling), generator_(sampling.seed) {}
  std::int32_t choose(const at::Tensor& logits);  ///< [V]

 private:
  Sampling sampling_;
  std::mt19937_64 generator_;
};

}  // namespace carryover
