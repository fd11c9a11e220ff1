// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/infllm/infllm.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include <algorithm>
#include <numeric>

#include "engine/config/window_settings.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/registry.h"

namespace carryover {

namespace {

/// A group's prefix while it is filled from its first slot on.
struct FilledPrefix {
  at::Tensor keys, values;  ///< [H_kv, P, d]
  std::int64_t filled = 0;

  /// Copies rows [first, first + count) of `more_*`, [H_kv, n, d], to the next slots.
  void add(const at::Tensor& more_keys, const at::Tensor& more_values, std::int64_t first, std::int64_t count) {
    if (count == 0) return;
    keys.narrow(1, filled, count).copy_(more_keys.narrow(1, first, count));
    values.narrow(1, filled, count).copy_(more_values.narrow(1, first, count));
    filled += count;
  }
};

}  // namespace

std::vector<at::Tensor> InfLlmState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const Layer& layer : layers) {
    for (const at::Tensor& tensor : {layer.sink_keys, layer.sink_values, layer.keys, layer.values, layer.received})
      if (tensor.defined()) all.push_back(tensor);
    if (layer.blocks.entries() > 0)
      all.insert(all.end(), {layer.blocks.keys.held(), layer.blocks.values.held(), layer.block_keys.held()});
  }
  return all;
}

std::unique_ptr<PolicyState> InfLlmState::clone() const {
  auto copy = std::make_unique<InfLlmState>(*this);
  for (Layer& layer : copy->layers) {
    layer.blocks.share();
    layer.block_keys.share();
  }
  return copy;
}

InfLlmPolicy::InfLlmPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                           std::int64_t expected_tokens)
    : model_(model),
      options_(options),
      opmath_(options.dtype(at::toOpMathType(c10::typeMetaToScalarType(options.dtype())))),
      sinks_(config.sink_length),
      window_(config.of<WindowSettings>().attention_window),
      most_blocks_(config.of<InfLlmSettings>().memory_blocks),
      block_length_(config.of<InfLlmSettings>().memory_block_length),
      representatives_(config.of<InfLlmSettings>().memory_representatives),
      expected_tokens_(expected_tokens) {}

std::unique_ptr<PolicyState> InfLlmPolicy::init_state() const {
  auto state = std::make_unique<InfLlmState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  const std::int64_t blocks = std::max<std::int64_t>(0, expected_tokens_ - sinks_ - window_) / block_length_;
  for (const int l : model_.global_layers()) {
    InfLlmState::Layer& layer = state->layers[static_cast<std::size_t>(l)];
    layer.blocks.reserve(model_.kv_heads, blocks * block_length_, model_.head_dim, options_);
    layer.block_keys.reserve(1, blocks, model_.heads * model_.head_dim, opmath_);
  }
  return state;
}

/// Returns the group with only the window's part of the prefix, which is the same for all chunks of a segment.
std::vector<HeadGroup> InfLlmPolicy::read(const InfLlmState& state, int layer, Rope& rope) const {
  HeadGroup all = group_of_all(model_);
  all.window = {window_, 0, furthest()};
  const InfLlmState::Layer& own = state.layers[static_cast<std::size_t>(layer)];
  if (own.held() == 0) return {all};
  all.prefix_keys = rope.rotate(own.keys, state.next.first_token - own.held());
  all.prefix_values = own.values;
  all.spans = {{PrefixPart::Carry, 0, own.held()}};
  return {all};
}

std::vector<std::int64_t> InfLlmPolicy::look_up(const InfLlmState::Layer& layer, const ChunkQueries& queries) const {
  const std::int64_t blocks = layer.block_keys.entries;
  std::vector<std::int64_t> found(static_cast<std::size_t>(std::min(blocks, most_blocks_)));
  std::iota(found.begin(), found.end(), 0);
  if (blocks <= most_blocks_) return found;
  // All queries are rotated to the same position, so their mean can be rotated instead.
  const at::Tensor mean = queries.unrotated.detach().to(opmath_.dtype()).mean(1, true);
  const at::Tensor scores = layer.block_keys.held()[0].mv(queries.rope.rotate(mean, furthest()).flatten());
  const at::Tensor best = std::get<1>(scores.topk(most_blocks_)).cpu().contiguous();
  std::copy_n(best.const_data_ptr<std::int64_t>(), found.size(), found.begin());
  std::ranges::sort(found);
  return found;
}

HeadHits InfLlmPolicy::tokens_of(const std::vector<std::int64_t>& blocks, const ChunkQueries& queries) const {
  HeadHits all;
  all.segment = queries.frame.index;
  all.layer = queries.layer;
  all.shared = true;
  for (const std::int64_t block : blocks)
    for (std::int64_t token = 0; token < block_length_; ++token) {
      const std::int64_t position = sinks_ + block * block_length_ + token;
      all.hits.push_back({.position = position, .kind = HitKind::Anchor, .anchor = position});
    }
  return all;
}

std::vector<HeadGroup> InfLlmPolicy::complete(const InfLlmState& state, std::vector<HeadGroup> groups,
                                              const ChunkQueries& queries) const {
  const InfLlmState::Layer& layer = state.layers[static_cast<std::size_t>(queries.layer)];
  const LayerKv& kv = queries.kv;
  HeadGroup& all = groups.front();
  const std::vector<std::int64_t> blocks = look_up(layer, queries);
  const std::int64_t sinks = layer.sinks(), looked_up = std::ssize(blocks) * block_length_, held = all.slots();
  // `far` is the number of tokens that have left the last query's window. None of them is the segment's own if the
  // segment is no longer than the window.
  const std::int64_t far = std::max<std::int64_t>(0, held + kv.keys.size(1) - window_), of_held = std::min(far, held);
  if (sinks + looked_up + far == 0) return groups;

  const auto room = [&] {
    return at::empty({model_.kv_heads, sinks + looked_up + far + held, model_.head_dim}, options_);
  };
  FilledPrefix prefix{room(), room()};
  prefix.add(layer.sink_keys, layer.sink_values, 0, sinks);
  for (const std::int64_t block : blocks)
    prefix.add(layer.blocks.keys.rows, layer.blocks.values.rows, block * block_length_, block_length_);
  prefix.add(layer.keys, layer.values, 0, of_held);
  prefix.add(kv.keys, kv.values, 0, far - of_held);
  prefix.add(all.prefix_keys, all.prefix_values, 0, held);
  all.prefix_keys = std::move(prefix.keys);
  all.prefix_values = std::move(prefix.values);

  all.spans.clear();
  if (sinks > 0) all.spans.push_back({PrefixPart::Sinks, 0, sinks});
  if (looked_up > 0) all.spans.push_back({PrefixPart::Retrieved, sinks, looked_up});
  if (far + held > 0) all.spans.push_back({PrefixPart::Carry, sinks + looked_up, far + held});
  all.window = {window_, sinks + looked_up, furthest(), far};
  if (looked_up > 0) all.found = std::make_shared<const HeadHits>(tokens_of(blocks, queries));
  return groups;
}

LayerTrace InfLlmPolicy::trace(int, const LayerKv& kv) const {
  LayerTrace trace;
  const at::Tensor kept = at::stack({kv.keys.detach(), kv.values.detach()});
  trace.past_keys = kept[0];
  trace.past_values = kept[1];
  trace.received = kv.received.detach();
  return trace;
}

/// Returns a block's key: for each query head, side by side, the mean of the keys that got most attention. keys: [H_kv,
/// tokens, d]; received: [H, tokens].
at::Tensor InfLlmPolicy::block_key(const at::Tensor& keys, const at::Tensor& received) const {
  const at::Tensor best = std::get<1>(received.topk(representatives_, 1)).unsqueeze(2).expand({-1, -1, keys.size(2)});
  return keys.repeat_interleave(model_.group_size(), 0)
      .gather(1, best)
      .to(received.scalar_type())
      .mean(1)
      .reshape({1, 1, -1});
}

/// Adds a segment's tokens to the rest. Tokens leave the rest if they are sinks or a whole block, and are further back
/// than the window of any later query.
void InfLlmPolicy::take(InfLlmState& state, std::size_t number, const LayerTrace& trace, std::int64_t) const {
  InfLlmState::Layer& layer = state.layers[number];
  at::Tensor keys = trace.past_keys, values = trace.past_values, received = trace.received;
  if (const std::int64_t before = layer.held(); before > 0) {
    keys = at::cat({layer.keys, keys}, 1);
    values = at::cat({layer.values, values}, 1);
    received = received + at::constant_pad_nd(layer.received, {0, received.size(1) - before});
  }
  const std::int64_t held = keys.size(1);
  CARRYOVER_CHECK(received.size(1) == held);
  std::int64_t first = std::clamp<std::int64_t>(held - window_, 0, sinks_ - layer.sinks());
  if (first > 0) {
    const auto joined = [&](const at::Tensor& sinks, const at::Tensor& rows) {
      const at::Tensor more = rows.narrow(1, 0, first);
      return sinks.defined() ? at::cat({sinks, more}, 1) : more.clone(at::MemoryFormat::Contiguous);
    };
    layer.sink_keys = joined(layer.sink_keys, keys);
    layer.sink_values = joined(layer.sink_values, values);
  }
  for (; held - first - block_length_ >= window_; first += block_length_) {
    const auto block = [&](const at::Tensor& rows) { return rows.narrow(1, first, block_length_); };
    layer.blocks.append(block(keys), block(values));
    layer.block_keys.append(block_key(block(keys), block(received)));
  }
  const auto rest = [&](const at::Tensor& rows) {
    return rows.narrow(1, first, held - first).clone(at::MemoryFormat::Contiguous);
  };
  layer.keys = rest(keys);
  layer.values = rest(values);
  layer.received = rest(received);
}

/// The numbers of tokens in sinks and in blocks follow from the text's length alone, wherever its segments ended:
/// take().
void InfLlmPolicy::name_fields(InfLlmState& state, StateFields& fields) const {
  const std::int64_t left = std::max<std::int64_t>(0, state.next.first_token - window_);  // number of tokens that have
                                                                                          // left the window
  const std::int64_t sinks = std::min(sinks_, left), blocks = (left - sinks) / block_length_,
                     held = state.next.first_token - sinks - blocks * block_length_, d = model_.head_dim;
  for (const int l : model_.global_layers()) {
    InfLlmState::Layer& layer = state.layers[static_cast<std::size_t>(l)];
    const std::string prefix = field_prefix(l);
    if (sinks > 0) {
      fields.tensor(prefix + "sink_keys", layer.sink_keys, {model_.kv_heads, sinks, d}, options_);
      fields.tensor(prefix + "sink_values", layer.sink_values, {model_.kv_heads, sinks, d}, options_);
    }
    layer.blocks.visit(fields, prefix + "blocks.", blocks * block_length_);
    layer.block_keys.visit(fields, prefix + "block_keys", blocks);
    fields.tensor(prefix + "keys", layer.keys, {model_.kv_heads, held, d}, options_);
    fields.tensor(prefix + "values", layer.values, {model_.kv_heads, held, d}, options_);
    fields.tensor(prefix + "received", layer.received, {model_.heads, held}, opmath_);
  }
}

std::unique_ptr<AttentionPolicy> make_infllm(const PolicyRequest& r) {
  return std::make_unique<InfLlmPolicy>(r.config, r.model, r.options, r.expected_tokens);
}

}  // namespace carryover
