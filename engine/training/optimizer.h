// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/config/training_config.h"
#include "engine/training/parameters.h"

namespace carryover {

/// AdamW on fp32 weights (LibTorch's fused kernel), with global-norm clipping. The fp32 weight of a bf16 parameter is
/// the leaf and its low half. Owner: a training run. Thread: engine.
class Optimizer {
 public:
  Optimizer(TrainableParameters& parameters, const TrainingConfig& config);

  /// Returns the norm of the mean gradient. The parameters' gradients are sums over targets whose weights add up to
  /// `targets`.
  double gradient_norm(double targets) const;
  /// Steps at `rate` along the mean gradient, whose norm is `gradient_norm`, clipped to `max_grad_norm`.
  void step(double rate, double gradient_norm, double targets);

  std::int64_t bytes() const;  ///< size of moments and low halves

  /// The moments, in the parameters' order, for checkpoints.
  std::vector<at::Tensor>& first_moments() { return first_; }
  std::vector<at::Tensor>& second_moments() { return second_; }
  std::int64_t steps() const;
  void set_steps(std::int64_t steps);

 private:
  struct Update {
    double rate;
    at::Tensor divisor;  ///< of gradients; applied within the step, without a pass of its own over them
  };
  void step_block(std::size_t i, std::int64_t first, std::int64_t count, const Update& update);
  TrainableParameters& parameters_;
  TrainingConfig config_;
  std::vector<at::Tensor> first_, second_, counts_;
};

}  // namespace carryover
