// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/snapkv/snapkv.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/method/prompt_votes.h"
#include "engine/policies/registry.h"

namespace carryover {

std::vector<at::Tensor> SnapKvState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const Layer& layer : layers) {
    layer.cache.add_to(all);
    if (layer.queries.defined()) all.push_back(layer.queries);
  }
  return all;
}

std::unique_ptr<PolicyState> SnapKvState::clone() const {
  auto copy = std::make_unique<SnapKvState>(*this);
  for (Layer& layer : copy->layers) layer.cache.share();
  return copy;
}

std::unique_ptr<PolicyState> SnapKvPolicy::init_state() const {
  auto state = std::make_unique<SnapKvState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  for (const int layer : model_.global_layers())
    state->layers[static_cast<std::size_t>(layer)].cache.reserve(
        model_.kv_heads, std::max<std::int64_t>(expected_tokens_, 1), model_.head_dim, options_);
  return state;
}

std::vector<HeadGroup> SnapKvPolicy::read(const SnapKvState& state, int layer, Rope&) const {
  HeadGroup all = group_of_all(model_);
  state.layers[static_cast<std::size_t>(layer)].cache.stand_before(all);
  return {all};
}

LayerTrace SnapKvPolicy::trace(int, const LayerKv& kv) const {
  LayerTrace trace;
  keep_segment(trace, kv);
  const std::int64_t last = std::min(window_, kv.queries.size(1));
  trace.queries = kv.queries.detach().narrow(1, kv.queries.size(1) - last, last).clone();
  return trace;
}

void SnapKvPolicy::take(SnapKvState& state, std::size_t layer, const LayerTrace& trace, std::int64_t) const {
  SnapKvState::Layer& own = state.layers[layer];
  own.cache.append(trace.past_keys, trace.past_values);
  const at::Tensor queries = own.queries.defined() ? at::cat({own.queries, trace.queries}, 1) : trace.queries;
  const std::int64_t last = std::min(window_, queries.size(1));
  own.queries = queries.narrow(1, queries.size(1) - last, last).clone();
}

void SnapKvPolicy::compress(SnapKvState::Layer& layer, std::int64_t end, Rope& rope) const {
  const at::Tensor keys = layer.cache.keys.held(), values = layer.cache.values.held();
  const std::int64_t n = keys.size(1), w = layer.queries.size(1), kept = std::max<std::int64_t>(0, budget_ - w);
  if (kept + w >= n) return;
  const at::Tensor best =
      std::get<0>(std::get<1>(prompt_votes(layer.queries, keys, end, rope, model_.score_cap).topk(kept, 1)).sort(1))
          .unsqueeze(2)
          .expand({-1, -1, keys.size(2)});
  const auto of = [&](const at::Tensor& rows) { return at::cat({rows.gather(1, best), rows.narrow(1, n - w, w)}, 1); };
  GrowingCache smaller;
  smaller.reserve(keys.size(0), kept + w + std::max<std::int64_t>(expected_tokens_ - n, 1), keys.size(2), options_);
  smaller.append(of(keys), of(values));
  layer.cache = std::move(smaller);
}

void SnapKvPolicy::end_prompt(PolicyState& any, Ropes& ropes) const {
  SnapKvState& state = own(any);
  for (const int layer : model_.global_layers())
    compress(state.layers[static_cast<std::size_t>(layer)], state.next.first_token, ropes.of(layer));
}

void SnapKvPolicy::name_fields(SnapKvState& state, StateFields& fields) const {
  const std::int64_t tokens = state.next.first_token;
  for (const int l : model_.global_layers()) {
    SnapKvState::Layer& layer = state.layers[static_cast<std::size_t>(l)];
    layer.cache.visit(fields, field_prefix(l), tokens);
    fields.tensor(field_prefix(l) + "queries", layer.queries,
                  {model_.heads, std::min(window_, tokens), model_.head_dim}, options_);
  }
}

std::unique_ptr<AttentionPolicy> make_snapkv(const PolicyRequest& r) {
  return std::make_unique<SnapKvPolicy>(r.config, r.model, r.options, r.expected_tokens);
}

}  // namespace carryover
