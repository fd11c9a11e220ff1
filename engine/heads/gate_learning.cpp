// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/gate_learning.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/cost/policy_table.h"
#include "engine/cost/real.h"
#include "engine/cost/training_cost.h"
#include "engine/policies/prepared_run.h"
#include "engine/runs/memory_forecast.h"
#include "engine/runs/text_run.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

constexpr const char* kSeesAll = "full";

struct NoState final : PolicyState {
  std::unique_ptr<PolicyState> clone() const override { return std::make_unique<NoState>(*this); }
};

/// A window as an index, whose gradients don't need the weights of all keys at once.
KeyIndex streaming_keys(const ModelConfig& model, StreamingView view, std::int64_t tokens) {
  KeyIndex index = KeyIndex::of_tiles(model.kv_heads, 1, 0, tokens);
  index.shared = true;
  for (std::int64_t query = 0; query < tokens; ++query) {
    const std::int64_t end = query + 1;
    std::vector<KeyRange> ranges{KeyRange::of(0, std::min(view.sinks, end)),
                                 KeyRange::of(std::max<std::int64_t>(0, end - view.recent), end)};
    unite(ranges);
    for (std::int64_t row = 0; row < index.rows; ++row)
      index.lists[static_cast<std::size_t>(row * tokens + query)] = ranges;
  }
  return index;
}

SegmentConfig whole_config(const ModelConfig& model, std::int64_t tokens) {
  return sample_config(kSeesAll, SegmentConfig::defaults_for(model), tokens);
}

std::function<void(int layer)> stopping_by(RunControl& control) {
  return [&control](int) { control.checkpoint(); };
}

at::Tensor full_hidden(const Decoder& decoder, const at::Tensor& ids, RunControl& control) {
  const at::NoGradGuard no_gradients;
  const std::int64_t tokens = ids.size(0);
  PreparedRun prepared(decoder, {kSeesAll, whole_config(decoder.config, tokens), tokens, {}, stopping_by(control)});
  return prepared.runner().peek_segment(ids);
}

/// Returns the hidden states of the tokens that count in the loss, from the text's first asked token on, in opmath and
/// as the final norm leaves them.
at::Tensor asked_rows(const Decoder& decoder, const at::Tensor& hidden, const PasskeyText& text) {
  return hidden.slice(0, text.asked_from).to(ops::compute_type(hidden.scalar_type())) * decoder.config.logit_divisor;
}

}  // namespace

DuoGatePolicy::DuoGatePolicy(const ModelConfig& model, at::TensorOptions options, StreamingView view,
                             std::int64_t tokens, at::Tensor gates)
    : model_(model), options_(options), view_(view), gates_(std::move(gates)) {
  CARRYOVER_CHECK(gates_.size(0) == model.layers && gates_.size(1) == model.kv_heads);
  if (options.device().is_cpu()) streaming_ = std::make_shared<const KeyIndex>(streaming_keys(model, view, tokens));
}

std::unique_ptr<PolicyState> DuoGatePolicy::init_state() const {
  auto state = std::make_unique<NoState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  return state;
}

std::vector<HeadGroup> DuoGatePolicy::context(const PolicyState&, int layer, Rope&) const {
  const at::Tensor gates = gates_[layer].repeat_interleave(model_.group_size()).unsqueeze(1);  // [H, 1]
  const auto as_outputs = [&](const at::Tensor& weights) {
    return weights.to(options_.device(), options_.dtype().toScalarType());
  };
  HeadGroup whole = group_of_all(model_);
  whole.shares_cache = true;
  HeadGroup streaming = whole;
  whole.long_range = true;
  whole.gate = as_outputs(gates);
  streaming.gate = as_outputs(1 - gates);
  streaming.index = streaming_;
  if (!streaming_) streaming.window = {view_.recent, view_.sinks};
  return {whole, streaming};
}

void DuoGatePolicy::commit(PolicyState&, std::vector<LayerTrace>, std::int64_t) const {
  CARRYOVER_CHECK(false);  // nothing follows the text
}

GatedRun::GatedRun(const Decoder& decoder, StreamingView view, std::int64_t tokens, at::Tensor gates,
                   std::function<void(int layer)> after_layer)
    : policy_(decoder.config, decoder.options(), view, tokens, std::move(gates)),
      ropes_(make_ropes(decoder, kSeesAll, whole_config(decoder.config, tokens), tokens)),
      runner_({decoder, policy_, ropes_, std::move(after_layer), true, {}}, whole_config(decoder.config, tokens)) {}

GateDistance gate_distance(const Decoder& decoder, const std::vector<double>& gates, StreamingView view,
                           const PasskeyText& text, RunControl& control) {
  const at::Tensor ids = ids_tensor(decoder, text.ids);
  const at::Tensor wanted = asked_rows(decoder, full_hidden(decoder, ids, control), text);
  const at::AutoGradMode with_gradients(true);
  const at::Tensor leaf =
      at::tensor(gates, at::kDouble).view({decoder.config.layers, decoder.config.kv_heads}).requires_grad_();
  GatedRun run(decoder, view, ids.size(0), leaf, stopping_by(control));
  const at::Tensor distance = (asked_rows(decoder, run.hidden(ids), text) - wanted).square().mean();
  const at::Tensor gradient = torch::autograd::grad({distance}, {leaf})[0].contiguous();
  const double* const slopes = gradient.const_data_ptr<double>();
  return {distance.item<double>(), std::vector<double>(slopes, slopes + gradient.numel())};
}

DuoGates learn_gates(const Decoder& decoder, const DuoGatesRequest& request, RunControl& control) {
  check_gates_request(request, decoder.config);
  TrainingConfig one_text;
  one_text.train_segments = 1;
  one_text.lora.rank = 1;  // no gradient of weights is kept
  const MemoryBytes memory = training_cost(decoder.config, whole_config(decoder.config, request.plan.longest), one_text,
                                           kSeesAll, static_cast<int>(decoder.options().dtype().itemsize()))
                                 .memory;
  require_memory("learning gates", real(memory.graph), "Give shorter texts (--longest), or choose --dtype bf16.",
                 decoder.options().device());
  DuoGates gates = request.known.layers > 0 ? request.known : open_gates(decoder.config);
  while (gates.steps() < request.steps) {
    control.checkpoint();
    if (request.progress)
      request.progress(static_cast<double>(gates.steps()) / static_cast<double>(request.steps),
                       "step " + std::to_string(gates.steps() + 1) + " of " + std::to_string(request.steps) +
                           ", mean gate " + fixed_text(gates.mean_gate(), 3));
    const PasskeyText text = make_passkey_text(request.parts, request.plan, gates.steps());
    const GateDistance found = gate_distance(decoder, gates.gates, {request.sinks, request.recent}, text, control);
    if (!std::isfinite(found.distance) ||
        !std::ranges::all_of(found.gradient, [](double x) { return std::isfinite(x); }))
      throw EngineError(Fault::BadInput, "gates", "can't be learned from this model: its states are not all finite",
                        "Use --dtype fp32.");
    take_gate_step(gates, found.distance, found.gradient, request);
    if (request.keep) request.keep(gates);
  }
  return gates;
}

}  // namespace carryover
