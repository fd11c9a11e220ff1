// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/layer_checkpoint.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <array>
#include <utility>

namespace carryover {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

/// All that is needed to run the layer again, except the tensors, which autograd keeps.
struct Recipe : torch::CustomClassHolder {
  Recipe(const LayerCall& layer_call, std::shared_ptr<const PolicyState> kept_state,
         std::vector<HeadGroup> layer_groups)
      : state(std::move(kept_state)),
        call(state ? layer_call.with_state(*state) : layer_call),
        groups(std::move(layer_groups)) {}
  std::shared_ptr<const PolicyState> state;  ///< the state that a policy selects from
  LayerCall call;
  std::vector<HeadGroup> groups;  ///< without their tensors
  std::vector<bool> has_tensor;   ///< for each tensor of each group, group by group: true if it is defined
  std::size_t kept = 0;           ///< number of kept tensors: x and those of the groups
};

/// Returns a group's prefix, and its gate, which is defined if the policy's context has it.
std::array<at::Tensor*, 3> tensors_of(HeadGroup& group) {
  return {&group.prefix_keys, &group.prefix_values, &group.gate};
}

/// Returns a layer's parameters, which autograd has to see among the inputs.
variable_list parameters_of(const LayerCall& call) {
  const Decoder& decoder = call.context.decoder;
  const auto l = static_cast<std::size_t>(call.layer);
  variable_list all = decoder.weights.layers[l].values();
  if (decoder.adapter.empty()) return all;
  decoder.adapter.layers[l].each_slot([&](WeightSlot, const std::vector<LowRankUpdate>& updates) {
    for (const LowRankUpdate& update : updates) {
      all.push_back(update.a);
      all.push_back(update.b);
    }
  });
  return all;
}

std::vector<HeadGroup> with_tensors(const Recipe& recipe, const variable_list& kept) {
  std::vector<HeadGroup> groups = recipe.groups;
  auto has_tensor = recipe.has_tensor.begin();
  std::size_t next = 1;
  for (HeadGroup& group : groups)
    for (at::Tensor* tensor : tensors_of(group))
      if (*has_tensor++) *tensor = kept[next++];
  return groups;
}

/// Returns the outputs through which gradients come back: x, and the carry if the layer leaves one.
variable_list differentiable(const LayerResult& result) {
  variable_list outputs{result.x};
  if (result.trace.carry.keys.defined()) {
    outputs.push_back(result.trace.carry.keys);
    outputs.push_back(result.trace.carry.values);
  }
  return outputs;
}

struct CheckpointFunction : Function<CheckpointFunction> {
  static variable_list forward(AutogradContext* context, const c10::intrusive_ptr<Recipe>& recipe,
                               LayerResult* detached, at::TensorList inputs) {
    const variable_list kept(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(recipe->kept));
    context->save_for_backward(kept);
    context->saved_data["recipe"] = at::IValue::make_capsule(recipe);
    context->set_materialize_grads(false);
    LayerResult result = run_layer(recipe->call, kept[0], with_tensors(*recipe, kept));
    variable_list outputs = differentiable(result);
    detached->trace = std::move(result.trace);
    detached->attention_kv_bytes = result.attention_kv_bytes;
    return outputs;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::AutoGradMode with_gradients(true);
    const auto recipe = c10::static_intrusive_pointer_cast<Recipe>(context->saved_data["recipe"].toCapsule());
    variable_list inputs = context->get_saved_variables();
    for (at::Tensor& input : inputs) input = input.detach();
    for (const at::Tensor& parameter : parameters_of(recipe->call)) inputs.push_back(parameter);
    variable_list wanted;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined() || !context->needs_input_grad(i)) continue;
      if (i < recipe->kept) inputs[i].requires_grad_();
      wanted.push_back(inputs[i]);
      places.push_back(i);
    }
    const LayerResult again = run_layer(recipe->call, inputs[0], with_tensors(*recipe, inputs));
    variable_list outputs, seeds;
    const variable_list all = differentiable(again);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!gradients[i].defined() || !all[i].requires_grad()) continue;
      outputs.push_back(all[i]);
      seeds.push_back(gradients[i]);
    }
    variable_list result(inputs.size() + 2);  // the recipe and the trace are not tensors
    if (outputs.empty() || wanted.empty()) return result;
    const variable_list found = torch::autograd::grad(outputs, wanted, seeds, false, false, true);
    for (std::size_t i = 0; i < places.size(); ++i) result[places[i] + 2] = found[i];
    return result;
  }
};

}  // namespace

LayerResult run_layer_checkpointed(const LayerCall& call, const std::shared_ptr<const PolicyState>& kept,
                                   const at::Tensor& x, const std::vector<HeadGroup>& groups) {
  auto recipe = c10::make_intrusive<Recipe>(call, kept, groups);
  variable_list inputs{x};
  for (HeadGroup& group : recipe->groups)
    for (at::Tensor* tensor : tensors_of(group)) {
      recipe->has_tensor.push_back(tensor->defined());
      if (tensor->defined()) inputs.push_back(std::exchange(*tensor, {}));
    }
  recipe->kept = inputs.size();
  for (const at::Tensor& parameter : parameters_of(call)) inputs.push_back(parameter);
  LayerResult result;
  const variable_list outputs = CheckpointFunction::apply(recipe, &result, at::TensorList(inputs));
  result.x = outputs[0];
  if (outputs.size() > 1) result.trace.carry = {outputs[1], outputs[2]};
  return result;
}

}  // namespace carryover
