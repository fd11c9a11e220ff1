// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/optimizer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "engine/core/error.h"

namespace carryover {

Optimizer::Optimizer(TrainableParameters& parameters, const TrainingConfig& config)
    : parameters_(parameters), config_(config) {
  parameters_.make_masters();
  for (const Parameter& parameter : parameters_.all()) {
    first_.push_back(at::zeros_like(parameter.master));
    second_.push_back(at::zeros_like(parameter.master));
    counts_.push_back(at::zeros({}, parameter.master.options().dtype(at::kFloat)));
  }
}

double Optimizer::scale_gradients(std::int64_t targets) {
  const at::NoGradGuard no_gradients;
  double squares = 0;
  for (Parameter& parameter : parameters_.all()) {
    if (!parameter.gradient.defined()) continue;
    parameter.gradient.mul_(1.0 / static_cast<double>(targets));
    const double norm = parameter.gradient.norm().item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

void Optimizer::step(double rate, double gradient_norm) {
  const at::NoGradGuard no_gradients;
  const double clip = config_.max_grad_norm > 0 && gradient_norm > config_.max_grad_norm
                          ? config_.max_grad_norm / (gradient_norm + 1e-6)
                          : 1;
  for (const bool decays : {true, false}) {
    std::vector<at::Tensor> values, gradients, first, second, counts;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      Parameter& parameter = parameters_.all()[i];
      if (parameter.decays != decays || !parameter.gradient.defined()) continue;
      if (clip < 1) parameter.gradient.mul_(clip);
      values.push_back(parameter.master);
      gradients.push_back(parameter.gradient);
      first.push_back(first_[i]);
      second.push_back(second_[i]);
      counts.push_back(counts_[i].add_(1));
    }
    if (values.empty()) continue;
    at::_fused_adamw_(values, gradients, first, second, {}, counts, rate, config_.adam_beta1, config_.adam_beta2,
                      decays ? config_.weight_decay : 0, config_.adam_epsilon, false, false);
  }
  parameters_.publish_masters();
}

std::int64_t Optimizer::bytes() const {
  std::int64_t total = parameters_.master_bytes();
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
