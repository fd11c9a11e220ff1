// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/parameters.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <map>

#include "engine/base/error.h"
#include "engine/ops/elementwise.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

bool is_its_own_master(const at::Tensor& leaf) {
  return ops::compute_type(leaf.scalar_type()) == leaf.scalar_type();
}

/// Gates don't decay: under a policy that has none they get no gradient and stay what they are.
bool is_gate(const NamedParameter& named) {
  return named.name.find(".g_proj.") != std::string::npos;
}

/// Moves a bf16 leaf's own gradient into an fp32 sum each time autograd has added to it, tensor by tensor, so that
/// there are never two whole sets of gradients.
struct SumGradient : torch::autograd::PostAccumulateGradHook {
  explicit SumGradient(Parameter& to) : parameter(to) {}
  void operator()(const at::Tensor& leaf) override {
    if (!leaf.grad().defined()) return;  // nothing of what was sent back depends on it
    const at::NoGradGuard no_gradients;
    parameter.gradient.add_(leaf.grad());
    leaf.mutable_grad() = at::Tensor();
  }
  Parameter& parameter;
};

}  // namespace

TrainableParameters::TrainableParameters(Decoder& decoder) {
  const auto add_leaf = [&](at::Tensor& tensor, bool decays) {
    tensor.requires_grad_(true);
    parameters_.push_back({tensor, {}, {}, decays});
    return parameters_.size() - 1;
  };
  if (!decoder.adapter.empty()) {
    for (LowRankUpdate* update : decoder.adapter.updates()) {
      const std::string name = "base_model.model." + update->name;
      names_.push_back({name + ".lora_A.weight", add_leaf(update->a, true), 0, update->a.size(0)});
      names_.push_back({name + ".lora_B.weight", add_leaf(update->b, true), 0, update->b.size(0)});
    }
    for (const NamedParameter& named : named_parameters(decoder.weights, decoder.config))
      if (is_gate(named))
        names_.push_back({"base_model.model." + named.name, add_leaf(*named.tensor, false), 0, named.rows});
    watch();
    return;
  }
  std::map<at::Tensor*, std::size_t> places;  // several names may be rows of one tensor
  for (const NamedParameter& named : named_parameters(decoder.weights, decoder.config)) {
    auto place = places.find(named.tensor);
    if (place == places.end())
      place = places.emplace(named.tensor, add_leaf(*named.tensor, named.tensor->dim() > 1 && !is_gate(named))).first;
    names_.push_back({named.name, place->second, named.first_row, named.rows});
  }
  if (decoder.config.tied_embeddings) decoder.weights.head = decoder.weights.embedding;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].leaf.is_same(decoder.weights.head)) head_ = static_cast<std::ptrdiff_t>(i);
  watch();
}

void TrainableParameters::watch() {
  for (Parameter& parameter : parameters_)
    if (!is_its_own_master(parameter.leaf))
      torch::autograd::impl::set_post_acc_grad_hooks(parameter.leaf, std::make_unique<SumGradient>(parameter));
}

TrainableParameters::~TrainableParameters() {
  for (Parameter& parameter : parameters_) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter.leaf, nullptr);
    parameter.leaf.mutable_grad() = at::Tensor();
    parameter.leaf.requires_grad_(false);
  }
}

std::vector<at::Tensor> TrainableParameters::leaves() const {
  std::vector<at::Tensor> leaves;
  for (const Parameter& parameter : parameters_) leaves.push_back(parameter.leaf);
  return leaves;
}

at::Tensor TrainableParameters::head_gradient() {
  return head_ < 0 ? at::Tensor() : parameters_[static_cast<std::size_t>(head_)].gradient;
}

void TrainableParameters::make_gradients() {
  for (Parameter& parameter : parameters_) {
    if (parameter.gradient.defined()) continue;
    const at::Tensor& leaf = parameter.leaf;
    const auto type = ops::compute_type(leaf.scalar_type());
    parameter.gradient = at::zeros(leaf.sizes(), leaf.options().dtype(type).requires_grad(false));
    if (is_its_own_master(leaf)) leaf.mutable_grad() = parameter.gradient;
  }
}

std::vector<at::Tensor> TrainableParameters::take_gradients() {
  std::vector<at::Tensor> gradients;
  for (Parameter& parameter : parameters_) {
    CARRYOVER_CHECK(parameter.gradient.defined());
    gradients.push_back(parameter.gradient);
    parameter.gradient = parameter.leaf.mutable_grad() = at::Tensor();
  }
  return gradients;
}

void TrainableParameters::clear_gradients() {
  for (Parameter& parameter : parameters_)
    if (parameter.gradient.defined()) parameter.gradient.zero_();
}

void TrainableParameters::make_masters() {
  for (Parameter& parameter : parameters_)
    if (!is_its_own_master(parameter.leaf))
      parameter.low =
          at::zeros(parameter.leaf.sizes(), parameter.leaf.options().dtype(at::kShort).requires_grad(false));
}

std::int64_t TrainableParameters::count() const {
  std::int64_t total = 0;
  for (const Parameter& parameter : parameters_) total += parameter.leaf.numel();
  return total;
}

std::int64_t TrainableParameters::gradient_bytes() const {
  std::int64_t total = 0;
  for (const Parameter& parameter : parameters_)
    if (parameter.gradient.defined()) total += static_cast<std::int64_t>(parameter.gradient.nbytes());
  return total;
}

std::int64_t TrainableParameters::low_bytes() const {
  std::int64_t total = 0;
  for (const Parameter& parameter : parameters_)
    if (parameter.low.defined()) total += static_cast<std::int64_t>(parameter.low.nbytes());
  return total;
}

}  // namespace carryover
