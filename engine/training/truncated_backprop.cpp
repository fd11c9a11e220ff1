// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/truncated_backprop.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "engine/base/error.h"

namespace carryover {

namespace {

using Tensors = std::vector<at::Tensor>;

/// Returns the keys and values of all layers with a carry, in order; an adjoint has an entry for each.
Tensors flatten(const CarriedState& carry) {
  Tensors all;
  for (const at::Tensor* tensor : const_cast<CarriedState&>(carry).tensors()) all.push_back(*tensor);
  return all;
}

void add_to(Tensors& sum, const Tensors& more) {
  if (sum.empty()) sum.resize(more.size());
  CARRYOVER_CHECK(sum.size() == more.size() || more.empty());
  for (std::size_t i = 0; i < more.size(); ++i)
    if (more[i].defined()) sum[i] = sum[i].defined() ? sum[i] + more[i] : more[i];
}

/// Outputs of a graph and the gradients to send back through them.
struct Seeds {
  Tensors outputs, gradients;
  void add(const at::Tensor& output, const at::Tensor& gradient) {
    if (!output.defined() || !gradient.defined() || !output.requires_grad()) return;
    outputs.push_back(output);
    gradients.push_back(gradient);
  }
  void add(const CarriedState& leaving, const Tensors& adjoint) {
    const Tensors carry = flatten(leaving);
    for (std::size_t i = 0; i < adjoint.size(); ++i) add(carry[i], adjoint[i]);
  }
};

}  // namespace

CarriedState cut_off(const CarriedState& carry) {
  CarriedState leaves = carry.detached();
  for (at::Tensor* tensor : leaves.tensors()) tensor->requires_grad_();
  return leaves;
}

TruncatedBackprop::TruncatedBackprop(std::int64_t depth, std::int64_t segments, Tensors parameters)
    : depth_(depth), segments_(segments), parameters_(std::move(parameters)) {}

void TruncatedBackprop::add(SegmentGraph graph) {
  CARRYOVER_CHECK(added_ < segments_);
  graphs_.push_back({std::move(graph), added_, {}});
  ++added_;
  const std::int64_t index = added_ - 1;
  if (segments_ <= depth_ + 1) {
    if (added_ == segments_) finish_chain();
    return;
  }
  if (index < depth_) return;  // its term is never cut: it travels with that of segment K
  for (std::int64_t age = 1; age <= depth_; ++age) send_back(age);
  parameter_pass(graphs_.front(), false);
  graphs_.pop_front();
  if (added_ < segments_) return;
  for (; !graphs_.empty(); graphs_.pop_front()) parameter_pass(graphs_.front(), false);
}

/// Sends the newest term's adjoint across its transition number `age`. On its way, segment K's term gathers those of
/// all segments before it, none of which is ever cut.
void TruncatedBackprop::send_back(std::int64_t age) {
  const auto newest = static_cast<std::int64_t>(graphs_.size()) - 1;
  Node& from = graphs_[static_cast<std::size_t>(newest - age + 1)];
  Node& to = graphs_[static_cast<std::size_t>(newest - age)];
  const bool merged = added_ - 1 == depth_;
  const Tensors arrived = activation_pass(from, age == 1 || merged, age == 1 ? Tensors{} : travelling_);
  record(arrived, to.index, merged ? 1 : age, merged ? age : 1);
  travelling_ = arrived;
  add_to(to.adjoint, arrived);
}

/// Runs plain backpropagation through the chain, one pass per segment, where N ≤ K + 1.
void TruncatedBackprop::finish_chain() {
  for (std::int64_t terms = 1; !graphs_.empty(); ++terms) {
    Node& node = graphs_.back();
    parameter_pass(node, true);
    const Tensors entering = flatten(node.graph.entering);
    if (graphs_.size() > 1) {
      Node& before = graphs_[graphs_.size() - 2];
      before.adjoint.clear();
      for (const at::Tensor& leaf : entering) before.adjoint.push_back(leaf.grad());
      record(before.adjoint, before.index, 1, terms);
    }
    graphs_.pop_back();
  }
}

void TruncatedBackprop::parameter_pass(Node& node, bool and_entering) {
  Seeds seeds;
  seeds.add(node.graph.hidden, node.graph.hidden_gradient);
  seeds.add(node.graph.leaving, node.adjoint);
  Tensors inputs = parameters_;
  if (and_entering)
    for (const at::Tensor& leaf : flatten(node.graph.entering)) inputs.push_back(leaf);
  if (seeds.outputs.empty()) return;
  torch::autograd::backward(seeds.outputs, seeds.gradients, false, false, inputs);
}

TruncatedBackprop::Tensors TruncatedBackprop::activation_pass(Node& node, bool own_term, const Tensors& adjoint) {
  const Tensors entering = flatten(node.graph.entering);
  Seeds seeds;
  if (own_term) seeds.add(node.graph.hidden, node.graph.hidden_gradient);
  seeds.add(node.graph.leaving, adjoint);
  if (seeds.outputs.empty() || entering.empty()) return Tensors(entering.size());
  return torch::autograd::grad(seeds.outputs, entering, seeds.gradients, true, false, true);
}

void TruncatedBackprop::record(const Tensors& adjoint, std::int64_t transition, std::int64_t age, std::int64_t terms) {
  double squares = 0;
  for (const at::Tensor& part : adjoint)
    if (part.defined()) squares += part.to(at::kDouble).square().sum().item<double>();
  reach_.push_back({transition, age, terms, std::sqrt(squares)});
}

}  // namespace carryover
