// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/cca/cca.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include "engine/base/attention_scale.h"
#include "engine/method/score_cap.h"
#include "engine/policies/registry.h"

namespace carryover {

std::int64_t CcaState::pool_entries() const {
  return most_entries(layers, [](const Layer& layer) { return layer.cores.entries() + layer.near(); });
}

std::vector<at::Tensor> CcaState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const Layer& layer : layers) {
    layer.cores.add_to(all);
    if (layer.keys.defined()) all.insert(all.end(), {layer.keys, layer.values});
  }
  return all;
}

std::unique_ptr<PolicyState> CcaState::clone() const {
  auto copy = std::make_unique<CcaState>(*this);
  for (Layer& layer : copy->layers) layer.cores.share();
  return copy;
}

std::unique_ptr<PolicyState> CcaPolicy::init_state() const {
  auto state = std::make_unique<CcaState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  for (const int layer : model_.global_layers())
    state->layers[static_cast<std::size_t>(layer)].cores.reserve(model_.heads, rule_.whole(expected_tokens_),
                                                                 model_.head_dim, options_);
  return state;
}

/// Pools groups of tokens. queries: [H, groups, d], those of the groups' last tokens; tokens: [H_kv, groups · g, d];
/// both rotated. Returns keys and values, [H, groups, d] each.
CcaPolicy::Rows CcaPolicy::core_tokens(const at::Tensor& queries, const Rows& tokens) const {
  const std::int64_t groups = queries.size(1), d = model_.head_dim;
  const auto opmath = at::toOpMathType(queries.scalar_type());
  const auto grouped = [&](const at::Tensor& rows) {
    return rows.reshape({model_.kv_heads, groups, rule_.group, d}).to(opmath);
  };
  const at::Tensor last = queries.to(opmath).reshape({model_.kv_heads, -1, groups, d}).transpose(1, 2);
  const at::Tensor keys = grouped(tokens.keys);
  const at::Tensor weights = capped_scores(last.matmul(keys.transpose(2, 3)) * attention_scale<double>(d), model_)
                                 .softmax(3);  // [H_kv, groups, r, g]
  const auto mean_of = [&](const at::Tensor& rows) {
    return weights.matmul(rows).transpose(1, 2).reshape({model_.heads, groups, d}).to(queries.scalar_type());
  };
  return {mean_of(keys), mean_of(grouped(tokens.values))};
}

HeadGroup CcaPolicy::near_alone(const CcaState::Layer& layer) const {
  HeadGroup all = group_of_all(model_);
  all.core_length = rule_.group;
  if (layer.near() == 0) return all;
  all.prefix_keys = layer.keys;
  all.prefix_values = layer.values;
  all.spans = {{PrefixPart::Carry, 0, layer.near()}};
  return all;
}

/// Returns one group whose prefix is all core tokens and then the near tokens, which are repeated for each query head.
std::vector<HeadGroup> CcaPolicy::read(const CcaState& state, int layer, Rope&) const {
  const CcaState::Layer& own = state.layers[static_cast<std::size_t>(layer)];
  const std::int64_t cores = own.cores.entries(), near = own.near(), share = model_.group_size();
  HeadGroup all = near_alone(own);
  if (cores == 0) return {all};
  const auto joined = [&](const at::Tensor& of_cores, const at::Tensor& of_tokens) {
    at::Tensor rows = at::empty({model_.heads, cores + near, model_.head_dim}, options_);
    rows.narrow(1, 0, cores).copy_(of_cores);
    if (near > 0)
      rows.view({model_.kv_heads, share, cores + near, -1}).narrow(2, cores, near).copy_(of_tokens.unsqueeze(1));
    return rows;
  };
  all.prefix_keys = joined(own.cores.keys.held(), own.keys);
  all.prefix_values = joined(own.cores.values.held(), own.values);
  all.prefix_per_query_head = true;
  all.spans = {{PrefixPart::Core, 0, cores}};
  if (near > 0) all.spans.push_back({PrefixPart::Carry, cores, near});
  return {all};
}

/// Inserts core tokens of the segment's own groups, so that the group's prefix begins with `count` core tokens in all.
void CcaPolicy::insert_cores(HeadGroup& group, const CcaState::Layer& layer, const ChunkQueries& chunk,
                             std::int64_t count) const {
  const LayerKv& kv = chunk.kv;
  const std::int64_t held = layer.cores.entries(), own = count - held, begin = chunk.frame.first_token - layer.near(),
                     first = held * rule_.group - begin, end = count * rule_.group - begin;
  const Rows fresh = core_tokens(kv.end_queries.narrow(1, 0, own), {rows_of(layer.keys, kv.rotated_keys, first, end),
                                                                    rows_of(layer.values, kv.values, first, end)});
  const auto with_fresh = [&](const at::Tensor& prefix, const at::Tensor& cores) {
    if (!prefix.defined()) return cores;
    const at::Tensor rows = group.prefix_per_query_head ? prefix : prefix.repeat_interleave(model_.group_size(), 0);
    return at::cat({rows.narrow(1, 0, held), cores, rows.narrow(1, held, rows.size(1) - held)}, 1);
  };
  group.prefix_keys = with_fresh(group.prefix_keys, fresh.keys);
  group.prefix_values = with_fresh(group.prefix_values, fresh.values);
  group.prefix_per_query_head = true;
  group.spans = {{PrefixPart::Core, 0, count}};
  if (layer.near() > 0) group.spans.push_back({PrefixPart::Carry, count, layer.near()});
}

/// Returns the index of the keys that m queries see; the first query is at position `first`. The first `cores` entries
/// of [prefix; segment] are core tokens, and the rest are tokens from position `near_begin` on. A tile holds up to g
/// queries that see the same groups pooled.
KeyIndex CcaPolicy::seen_keys(std::int64_t first, std::int64_t m, std::int64_t cores, std::int64_t near_begin) const {
  const std::int64_t g = rule_.group, past_window = (first + 1 - rule_.window) % g;
  KeyIndex index = KeyIndex::of_tiles(model_.heads, g, past_window < 0 ? past_window + g : past_window, m);
  const auto place = [](std::int64_t key) { return static_cast<std::int32_t>(key); };
  for (std::int64_t tile = 0; tile < index.tiles(); ++tile) {
    const std::int64_t pooled = rule_.seen_by(first + index.first(tile) + 1), one_by_one = cores - near_begin;
    std::vector<KeyRange> ranges = {{0, place(pooled)},
                                    {place(one_by_one + pooled * g), place(one_by_one + first + index.end(tile))}};
    unite(ranges);
    for (std::int64_t head = 0; head < index.rows; ++head)
      index.lists[static_cast<std::size_t>(head * index.tiles() + tile)] = ranges;
  }
  return index;
}

std::vector<HeadGroup> CcaPolicy::complete(const CcaState& state, std::vector<HeadGroup> groups,
                                           const ChunkQueries& chunk) const {
  const CcaState::Layer& layer = state.layers[static_cast<std::size_t>(chunk.layer)];
  const std::int64_t first = chunk.first_token(), m = chunk.count(), most = rule_.seen_by(first + m);
  if (most == 0) return {near_alone(layer)};  // each query sees every token
  HeadGroup& group = groups.front();
  if (most > layer.cores.entries()) insert_cores(group, layer, chunk, most);
  group.shares_cache = true;
  group.index = std::make_shared<const KeyIndex>(
      seen_keys(first, m, group.span(PrefixPart::Core).length, chunk.frame.first_token - layer.near()));
  return groups;
}

LayerTrace CcaPolicy::trace(int, const LayerKv& kv) const {
  LayerTrace trace;
  const at::Tensor kept = at::stack({kv.rotated_keys.detach(), kv.values.detach()});
  trace.past_keys = kept[0];
  trace.past_values = kept[1];
  trace.queries = kv.end_queries.detach().clone();
  return trace;
}

/// Adds a segment's tokens to the near ones, and their whole groups to the core tokens.
void CcaPolicy::take(CcaState& state, std::size_t number, const LayerTrace& trace, std::int64_t m) const {
  CcaState::Layer& layer = state.layers[number];
  const std::int64_t tokens = state.next.first_token + m, held = layer.near() + trace.past_keys.size(1),
                     begin = tokens - held, groups = layer.cores.entries(), whole = rule_.whole(tokens),
                     near = rule_.near(tokens);
  const auto rows = [&](std::int64_t first, std::int64_t end) -> Rows {
    return {rows_of(layer.keys, trace.past_keys, first - begin, end - begin),
            rows_of(layer.values, trace.past_values, first - begin, end - begin)};
  };
  CARRYOVER_CHECK(trace.queries.size(1) == whole - groups);
  if (whole > groups) {
    const Rows cores = core_tokens(trace.queries, rows(groups * rule_.group, whole * rule_.group));
    layer.cores.append(cores.keys, cores.values);
  }
  const Rows rest = rows(tokens - near, tokens);
  layer.keys = rest.keys.clone(at::MemoryFormat::Contiguous);
  layer.values = rest.values.clone(at::MemoryFormat::Contiguous);
}

void CcaPolicy::name_fields(CcaState& state, StateFields& fields) const {
  const std::int64_t tokens = state.next.first_token;
  for (const int l : model_.global_layers()) {
    CcaState::Layer& layer = state.layers[static_cast<std::size_t>(l)];
    const std::string prefix = field_prefix(l);
    layer.cores.visit(fields, prefix + "cores.", rule_.whole(tokens));
    for (auto& [name, rows] : {std::pair{"keys", &layer.keys}, std::pair{"values", &layer.values}})
      fields.tensor(prefix + name, *rows, {model_.kv_heads, rule_.near(tokens), model_.head_dim}, options_);
  }
}

std::unique_ptr<AttentionPolicy> make_cca(const PolicyRequest& r) {
  return std::make_unique<CcaPolicy>(r.config, r.model, r.options, r.expected_tokens);
}

}  // namespace carryover
