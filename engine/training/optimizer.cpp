// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/optimizer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/ops/cpu/weight_halves.h"
#include "engine/ops/elementwise.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

constexpr std::int64_t kBlock = 1 << 20;  ///< number of weights in two halves that are joined at a time

}  // namespace

Optimizer::Optimizer(TrainableParameters& parameters, const TrainingConfig& config)
    : parameters_(parameters), config_(config) {
  parameters_.make_masters();
  for (const Parameter& parameter : parameters_.all()) {
    const at::Tensor& leaf = parameter.leaf;
    const auto options = leaf.options().requires_grad(false);
    for (auto* moments : {&first_, &second_})
      moments->push_back(at::zeros(leaf.sizes(), options.dtype(ops::compute_type(leaf.scalar_type()))));
    counts_.push_back(at::zeros({}, options.dtype(at::kFloat)));
  }
}

double Optimizer::gradient_norm(double targets) const {
  const at::NoGradGuard no_gradients;
  double squares = 0;
  for (const Parameter& parameter : parameters_.all()) {
    const double norm = parameter.gradient.norm().item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares) / targets;
}

void Optimizer::step(double rate, double gradient_norm, double targets) {
  const at::NoGradGuard no_gradients;
  const double clip = config_.max_grad_norm > 0 && gradient_norm > config_.max_grad_norm
                          ? config_.max_grad_norm / (gradient_norm + 1e-6)
                          : 1;
  const Update update{rate, at::full({}, targets / clip, counts_[0].options())};
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const Parameter& parameter = parameters_.all()[i];
    counts_[i].add_(1);
    const std::int64_t n = parameter.leaf.numel(), block = parameter.low.defined() ? kBlock : n;
    for (std::int64_t first = 0; first < n; first += block) step_block(i, first, std::min(block, n - first), update);
  }
}

void Optimizer::step_block(std::size_t i, std::int64_t first, std::int64_t count, const Update& update) {
  const Parameter& parameter = parameters_.all()[i];
  const auto block = [&](const at::Tensor& of) {
    return parameter.low.defined() ? of.detach().view(-1).narrow(0, first, count) : of.detach();
  };
  const at::Tensor leaf = block(parameter.leaf);
  const at::Tensor master = parameter.low.defined() ? ops::join_halves(leaf, block(parameter.low)) : leaf;
  at::_fused_adamw_({master}, {block(parameter.gradient)}, {block(first_[i])}, {block(second_[i])}, {}, {counts_[i]},
                    update.rate, config_.adam_beta1, config_.adam_beta2, parameter.decays ? config_.weight_decay : 0,
                    config_.adam_epsilon, false, false, update.divisor);
  if (parameter.low.defined()) ops::split_halves(master, leaf, block(parameter.low));
}

std::int64_t Optimizer::bytes() const {
  std::int64_t total = parameters_.low_bytes();
  for (const at::Tensor& moment : first_) total += 2 * static_cast<std::int64_t>(moment.nbytes());
  return total;
}

std::int64_t Optimizer::steps() const {
  return counts_.empty() ? 0 : static_cast<std::int64_t>(counts_[0].item<float>());
}

void Optimizer::set_steps(std::int64_t steps) {
  for (at::Tensor& count : counts_) count.fill_(static_cast<double>(steps));
}

}  // namespace carryover
