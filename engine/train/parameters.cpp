// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/parameters.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <map>

#include "engine/ops/elementwise.h"

namespace carryover {

TrainableParameters::TrainableParameters(Decoder& decoder) {
  const auto add_leaf = [&](at::Tensor& tensor) {
    tensor.requires_grad_(true);
    parameters_.push_back({tensor, tensor, {}, tensor.dim() > 1});
    return parameters_.size() - 1;
  };
  if (!decoder.adapter.empty()) {
    for (LowRankUpdate* update : decoder.adapter.updates()) {
      const std::string name = "base_model.model." + update->name;
      names_.push_back({name + ".lora_A.weight", add_leaf(update->a), 0, update->a.size(0)});
      names_.push_back({name + ".lora_B.weight", add_leaf(update->b), 0, update->b.size(0)});
    }
    return;
  }
  std::map<at::Tensor*, std::size_t> places;  // several names may be rows of one tensor
  for (const NamedParameter& named : named_parameters(decoder.weights, decoder.config)) {
    auto place = places.find(named.tensor);
    if (place == places.end()) place = places.emplace(named.tensor, add_leaf(*named.tensor)).first;
    names_.push_back({named.name, place->second, named.first_row, named.rows});
  }
  if (decoder.config.tied_embeddings) decoder.weights.head = decoder.weights.embedding;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].leaf.is_same(decoder.weights.head)) head_ = static_cast<std::ptrdiff_t>(i);
}

TrainableParameters::~TrainableParameters() {
  for (Parameter& parameter : parameters_) {
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
  if (head_ < 0) return {};
  Parameter& head = parameters_[static_cast<std::size_t>(head_)];
  if (!head.gradient.defined())
    head.gradient = at::zeros(
        head.leaf.sizes(), head.leaf.options().dtype(ops::compute_type(head.leaf.scalar_type())).requires_grad(false));
  return head.gradient;
}

void TrainableParameters::collect() {
  const at::NoGradGuard no_gradients;
  for (Parameter& parameter : parameters_) {
    at::Tensor& found = parameter.leaf.mutable_grad();
    if (!found.defined()) continue;
    if (parameter.gradient.defined())
      parameter.gradient.add_(found);
    else
      parameter.gradient = found.to(ops::compute_type(found.scalar_type())).contiguous();
    found = at::Tensor();
  }
}

void TrainableParameters::clear_gradients() {
  for (Parameter& parameter : parameters_)
    if (parameter.gradient.defined()) parameter.gradient.zero_();
}

void TrainableParameters::make_masters() {
  for (Parameter& parameter : parameters_) {
    const auto wide = ops::compute_type(parameter.leaf.scalar_type());
    parameter.master = parameter.leaf.detach();  // shares the leaf's memory where the dtype is the same
    if (wide != parameter.leaf.scalar_type()) parameter.master = parameter.master.to(wide);
  }
}

void TrainableParameters::publish_masters() {
  const at::NoGradGuard no_gradients;
  for (Parameter& parameter : parameters_)
    if (parameter.master.scalar_type() != parameter.leaf.scalar_type()) parameter.leaf.copy_(parameter.master);
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

std::int64_t TrainableParameters::master_bytes() const {
  std::int64_t total = 0;
  for (const Parameter& parameter : parameters_)
    if (parameter.master.scalar_type() != parameter.leaf.scalar_type())
      total += static_cast<std::int64_t>(parameter.master.nbytes());
  return total;
}

}  // namespace carryover
